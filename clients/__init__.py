"""Programs that use the service: a TypeScript package, a module for Foundry VTT, and what packs it."""
