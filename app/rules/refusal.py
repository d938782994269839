"""How a rule turns a request down."""


class Refusal(Exception):  # noqa: N818  the word of the field: the rule refuses, nothing went wrong
    """A request that is valid field by field and that a rule turns down, before any die counts.

    `code` is the contract's word for the reason, `pointer` the JSON Pointer (RFC 6901) of the field to
    change, and `facts` are numbers that the reader of the refusal needs (such as `needed`).
    """

    def __init__(self, code: str, pointer: str, **facts: int) -> None:
        """Keep the code, the pointer and the facts."""
        super().__init__(code, pointer)
        self.code = code
        self.pointer = pointer
        self.facts = facts
