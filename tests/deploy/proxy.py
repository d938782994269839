"""The nginx that this project ships, in front of services on loopback."""

import json
import re
import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.http.wire import SECONDS, Wire
from tests.needs import program
from tests.serving import ROOT, free_port

SHIPPED: Final = ROOT / "deploy" / "nginx"


@dataclass(frozen=True)
class Proxy:
    """An nginx that runs, and how to reach it."""

    port: int
    plain_port: int
    tls: ssl.SSLContext
    log: Path
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        """Its address."""
        return f"https://localhost:{self.port}"

    def wire(self) -> Wire:
        """Open a connection to it."""
        return Wire(self.port, self.tls)

    def logged(self) -> list[dict[str, Any]]:
        """Read its log, a request a line; one half written is left out."""
        whole = self.log.read_text(encoding="utf-8").rpartition("\n")[0]
        return [json.loads(line) for line in whole.splitlines()]


@contextmanager
def proxying(ports: tuple[int, int], home: Path, changes: Mapping[str, str] | None = None) -> Iterator[Proxy]:
    """Run the shipped configuration before two services until the block ends.

    Only the lines marked as the operator's are another than shipped, and `changes`.
    """
    nginx = program("nginx")
    port, plain_port = free_port(), free_port()
    configuration = _configure(home, ports, {"8080": plain_port, "8443": port}, changes or {})
    (home / "run").mkdir()
    log = home / "log"
    with (
        log.open("wb") as lines,
        subprocess.Popen(
            # Root's nginx would give its workers to a user who has no way into pytest's folders.
            [nginx, "-p", home / "run", "-c", configuration, "-g", "daemon off; user root;"],
            stdout=lines,
            stderr=subprocess.DEVNULL,
        ) as process,
    ):
        tls = ssl.create_default_context(cafile=configuration.parent / "tls" / "fullchain.pem")
        proxy = Proxy(port, plain_port, tls, log, process)
        try:
            _wait_until_it_listens(proxy)
            yield proxy
        finally:
            process.terminate()
            process.wait(SECONDS)


def _configure(
    home: Path, ports: tuple[int, int], listen: Mapping[str, int], changes: Mapping[str, str]
) -> Path:
    """Copy the configuration, with addresses on loopback and a certificate made for it."""
    folder = home / "nginx"
    shutil.copytree(SHIPPED, folder, ignore=shutil.ignore_patterns("tls"))
    _make_certificate(folder / "tls")
    configuration = folder / "nginx.conf"
    own = {
        **{f"listen {shipped}": f"listen 127.0.0.1:{port}" for shipped, port in listen.items()},
        **{f"server wurf-{number}:8000": f"server 127.0.0.1:{port}" for number, port in enumerate(ports, 1)},
    }
    text = configuration.read_text(encoding="utf-8")
    for shipped, here in {**own, **changes}.items():
        assert shipped in text
        text = text.replace(shipped, here)
    configuration.write_text(text, encoding="utf-8")
    return configuration


def _make_certificate(folder: Path) -> None:
    """Make one as the guide tells whoever only wants to try."""
    guide = (ROOT / "deploy" / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^openssl req (?:.*\\\n)*.*$", guide, re.MULTILINE)
    program("openssl")
    folder.mkdir()
    subprocess.run(
        ["/bin/sh", "-ec", command.replace("deploy/nginx/tls", str(folder))], check=True, capture_output=True
    )


def _wait_until_it_listens(proxy: Proxy) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and proxy.process.poll() is None:
        try:
            with proxy.wire():
                return
        except OSError:
            time.sleep(0.02)
    message = "nginx did not start"
    raise RuntimeError(message)
