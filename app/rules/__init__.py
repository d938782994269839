"""The stateless rules: dice, refusals and one module per ruleset.

Nothing in here knows HTTP, a clock, the environment or a source of randomness: a roll is a pure
function of a validated request and its dice. Import contracts in pyproject.toml hold that.
"""
