"""Settings from the environment."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict


class Settings(BaseSettings):
    """Every setting is an environment variable with the prefix WURF_; see the README's table."""

    model_config = SettingsConfigDict(env_prefix="WURF_", frozen=True, extra="ignore")

    host: str = Field(default="127.0.0.1", description="The address to listen on.")
    port: int = Field(default=8000, ge=0, le=65535, description="The port to listen on.")
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

    @model_validator(mode="before")
    @classmethod
    def _read(cls, values: dict[str, Any]) -> dict[str, Any]:
        if file := values.get("nonce_secret_file"):
            values["nonce_secret"] = Path(file).read_text(encoding="utf-8").strip()
        if isinstance(origins := values.get("cors_origins"), str):
            values["cors_origins"] = tuple(origin.strip() for origin in origins.split(",") if origin.strip())
        return values
