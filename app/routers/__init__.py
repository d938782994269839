"""One file per ruleset with its actions' examples, and the routes that belong to none of them."""
