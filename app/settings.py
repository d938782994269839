"""Settings from the environment."""

import os
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

IN_FILES: Final = (
    *("nonce_secret", "signing_key", "retired_keys", "api_keys", "rate_limit_storage"),
    "metrics_token",
)
"""Settings that may stand in a file, named by the same setting with `_file`."""


MAX_WORKERS: Final = 256
CPU_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")
"""How much of a processor a container may use: microseconds of each period, or "max"."""


class WrongSettingError(ValueError):
    """A setting that the service cannot start with."""

    def __init__(self, name: str, what: object) -> None:
        """Name the setting, as its environment variable, and say what is wrong."""
        super().__init__(f"WURF_{name.upper()}: {what}")


class Settings(BaseSettings):
    """Every setting is an environment variable with the prefix WURF_; see the README's table."""

    model_config = SettingsConfigDict(env_prefix="WURF_", frozen=True, extra="ignore")

    host: str = Field(default="127.0.0.1", description="The address to listen on.")
    port: int = Field(default=8000, ge=0, le=65535, description="The port to listen on.")
    workers: int = Field(
        default=1,
        ge=1,
        le=MAX_WORKERS,
        description="How many processes serve; `auto` is one for each core that the service may use.",
    )
    drain_seconds: float = Field(
        default=5,
        ge=0,
        le=3600,
        description="How long the service answers on after SIGTERM, not ready any more, before it stops.",
    )
    contact: str | None = Field(
        default=None, max_length=200, description="How to reach whoever runs this service; shown in /v1/info."
    )
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=("*",), description="Origins that may read answers in a browser, separated by commas."
    )
    nonce_secret: str | None = Field(
        default=None,
        min_length=32,
        description="The secret behind nonces, at least 32 characters; without it nonces are off.",
    )
    nonce_secret_file: Path | None = Field(default=None, description="A file that holds the secret instead.")

    signing_key: str | None = Field(
        default=None,
        description="The private key that signs receipts, a JWK as `python -m app keys` prints it; "
        "without it receipts are off.",
    )
    signing_key_file: Path | None = Field(default=None, description="A file that holds the key instead.")
    retired_keys: str | None = Field(
        default=None,
        description="Keys of the past, so that their receipts stay valid: a JSON list of public JWKs, each "
        "with `retired`, the time when (ISO 8601 with a time zone, or seconds since 1970).",
    )
    retired_keys_file: Path | None = Field(default=None, description="A file that holds the list instead.")
    issuer: str = Field(default="wurf", max_length=200, description="Who signs, `iss` in a receipt.")

    api_keys: str | None = Field(
        default=None,
        description="SHA-256 digests of the keys that open the service, in lower-case hexadecimal, separated "
        "by commas or line ends, each with a name before it if you like (`name:digest`); `python -m app "
        "api-key` makes a key and its digest. Without it the service serves everybody.",
    )
    api_keys_file: Path | None = Field(default=None, description="A file that holds the digests instead.")
    rate_limit: str = Field(
        default="",
        description="How many requests a client may send, such as 120/minute, or 10/second;1000/hour. A "
        "client is a key where there are keys, else an address (of IPv6 a /64).",
    )
    batch_item_limit: str = Field(
        default="", description="How many items of batches a client may send; each batch is one request."
    )
    rate_limit_storage: str | None = Field(
        default=None,
        description="The Redis in which replicas count together, such as redis://host:6379/0; without it "
        "each process counts for itself.",
    )
    rate_limit_storage_file: Path | None = Field(
        default=None, description="A file that holds the address instead."
    )
    trusted_proxies: str = Field(
        default="",
        description="Addresses and networks of the proxies whose X-Forwarded-For is believed, separated "
        "by commas.",
    )
    max_in_work: int = Field(
        default=1000, ge=1, description="How many requests are worked on at once; the rest is told to wait."
    )
    body_seconds: float = Field(
        default=10,
        gt=0,
        le=3600,
        description="How long the body of a request may take to arrive, in seconds.",
    )

    metrics_token: str | None = Field(
        default=None,
        min_length=16,
        pattern="^[!-~]+$",
        description="What `/metrics` asks for as `Authorization: Bearer`, at least 16 characters; without it "
        "everybody may read the metrics.",
    )
    metrics_token_file: Path | None = Field(default=None, description="A file that holds the token instead.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="How grave a line of the log must be at least."
    )
    log_requests: bool = Field(default=False, description="Whether to write a line for each request.")
    otel: bool = Field(
        default=False,
        description="Whether to send spans by OpenTelemetry, to where the standard OTEL_* variables say.",
    )

    @model_validator(mode="before")
    @classmethod
    def _read(cls, values: dict[str, Any]) -> dict[str, Any]:
        for name in IN_FILES:
            if file := values.get(f"{name}_file"):
                values[name] = _content(f"{name}_file", file)
        if values.get("workers") == "auto":
            values["workers"] = min(cores(), MAX_WORKERS)
        if isinstance(origins := values.get("cors_origins"), str):
            values["cors_origins"] = tuple(origin.strip() for origin in origins.split(",") if origin.strip())
        return values


def cores(quota_file: Path = CPU_QUOTA) -> int:
    """Count the cores that this process may use: those it may run on, or fewer by a container's quota."""
    # Not everywhere can a process be bound to cores.
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = quota_file.read_text(encoding="ascii").split()
        return max(1, min(allowed, -(-int(quota) // int(period))))
    except (OSError, ValueError):
        return allowed


def _content(name: str, file: str | Path) -> str:
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        raise WrongSettingError(name, "the file cannot be read") from None
