"""What the routers share: from bytes to a validated request, and from an answer back to bytes."""
