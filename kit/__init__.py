"""The conformance kit: what another implementation of the rules can hold itself against."""
