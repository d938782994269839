"""The README's recipes for other tables run, each against the service and a stand-in for the table."""

import json
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from tests.needs import lacking, program
from tests.serving import Server, free_port
from tests.test_readme import BLOCKS, HERE

TABLETOP_SIMULATOR = """
local cjson = require("cjson")
JSON = { decode = cjson.decode }

function printToAll(message) print(message) end

WebRequest = {}
-- As Tabletop Simulator does it: a status of 400 or more is an answer, no error.
function WebRequest.get(url, callback)
  assert(not url:find("[^%w:/?=.%%-]"), url)
  local options = "--silent --header Accept: --header User-Agent: --write-out '\\n%{http_code}'"
  local pipe = io.popen("curl " .. options .. " '" .. url .. "'")
  local text, status = pipe:read("*a"):match("^(.*)\\n(%d+)$")
  pipe:close()
  local failed = status == "000"
  callback({ is_error = failed, error = "cannot connect", text = text, response_code = tonumber(status) })
end
"""
OWLBEAR = """
const metadata = { "com.other/notes": "x".repeat(4000) }, callbacks = [], notes = [];
const OBR = {
  onReady: (callback) => callback(),
  notification: { show: async (message, variant) => notes.push([variant, message]) },
  room: {
    getMetadata: async () => structuredClone(metadata),
    onMetadataChange: (callback) => callbacks.push(callback),
    setMetadata: async (update) => {
      Object.assign(metadata, structuredClone(update));
      if (JSON.stringify(metadata).length >= 16000) throw new Error("a room has no more than 16 kB");
      for (const callback of callbacks) callback(structuredClone(metadata));
    },
  },
};
"""


def recipe(kind: str) -> str:
    script: str
    (script,) = (script for other, script in BLOCKS if other == kind)
    return script


def chat(url: str, *messages: str) -> list[str]:
    """Say something at a table of Tabletop Simulator, and read what everybody sees."""
    lua = program("lua5.2")  # the game's own interpreter speaks this version
    program("curl")
    if subprocess.run([lua, "-e", 'require("cjson")'], capture_output=True, check=False).returncode:
        lacking("lua-cjson")
    said = "".join(
        f"if onChat({json.dumps(message)}, {{ steam_name = 'Mara' }}) then print({json.dumps(message)}) end\n"
        for message in messages
    )
    source = TABLETOP_SIMULATOR + HERE.sub(url, recipe("lua")) + said
    ran = subprocess.run([lua, "-"], input=source, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def test_tabletop_simulator_rolls_in_its_chat(server: Server) -> None:
    hello, roll, low = chat(server.url, "hello", "!zrps 11", "!zrps -3")
    assert hello == "hello"
    assert roll.startswith("Mara: Rolled ")
    assert " against effective value 11: " in roll
    assert " against effective value −3: " in low


def test_tabletop_simulator_shows_what_was_wrong(server: Server) -> None:
    (refused,) = chat(server.url, "!zrps 5000")
    assert refused == "/value must be at most 1000"
    assert chat(f"http://127.0.0.1:{free_port()}", "!zrps 11") == ["No answer: cannot connect"]


def in_node(source: str, **environment: str) -> Any:
    """Run a script in Node; what it writes is JSON."""
    ran = subprocess.run(
        [program("node"), "--input-type=module", "--eval", source],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout) if ran.stdout else None


@pytest.fixture
def webhook() -> Iterator[tuple[str, list[Any]]]:
    """A webhook on loopback, and the messages it has got."""
    messages: list[Any] = []

    class Webhook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.headers["Content-Type"] == "application/json"
            messages.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Webhook) as serving:
        thread = Thread(target=serving.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{serving.server_port}/api/webhooks/1/secret", messages
        serving.shutdown()
        thread.join()


def test_discord_gets_a_message_of_a_length_that_it_takes(
    server: Server, webhook: tuple[str, list[Any]]
) -> None:
    url, messages = webhook
    in_node(HERE.sub(server.url, recipe("js discord")), DISCORD_WEBHOOK=url)
    (message,) = messages
    mara, olaf, seed = message["content"].splitlines()
    assert mara.startswith("**Mara** Saving throw ")
    assert olaf.startswith("**Olaf** Saving throw ")
    assert seed.startswith("-# ")
    assert len(message["content"]) <= 2000
    assert message["allowed_mentions"] == {"parse": []}


def test_discord_gets_a_problem_as_a_line_of_its_own(server: Server, webhook: tuple[str, list[Any]]) -> None:
    url, messages = webhook
    script = recipe("js discord").replace("Olaf: -1", "Olaf: -1001")
    in_node(HERE.sub(server.url, script), DISCORD_WEBHOOK=url)
    assert "**Olaf** Fields that are wrong: 1." in messages[0]["content"]


def owlbear(server: Server, then: str) -> Any:
    """Run the extension in a room, and something after it."""
    sdk, _, script = recipe("js owlbear").partition("\n")
    assert sdk == 'import OBR from "@owlbear-rodeo/sdk";'
    return in_node(OWLBEAR + HERE.sub(server.url, script) + then)


def test_a_room_of_owlbear_rodeo_keeps_the_last_rolls(server: Server) -> None:
    effects = ["exposed", "nimble", "flanked", "slowed", "brace"]
    request = json.dumps({"advantage": 1, "effects": effects, "damage": 1000, "armor": 1000, "life": 100_000})
    metadata, notes = owlbear(
        server,
        f"""
        for (let count = 0; count < 10; count++) await attack({request});
        await OBR.room.setMetadata({{ "com.other/notes": "short" }});
        await attack({{ advantage: "1" }});
        console.log(JSON.stringify([metadata, notes]));
        """,
    )
    rolls = metadata["com.example.wurf/rolls"]
    assert len(rolls) == 8
    assert (
        max(len(json.dumps(roll, ensure_ascii=False, separators=(",", ":")).encode()) for roll in rolls)
        < 1024
    )
    *shown, wrong = notes
    assert [message for _, message in shown[2:]] == [roll["text"] for roll in rolls]
    assert [variant == "SUCCESS" for variant, _ in shown[2:]] == [roll["success"] for roll in rolls]
    assert wrong[0] == "ERROR"


def test_every_recipe_is_tried_here_or_beside_the_readme() -> None:
    kinds = {kind for kind, _ in BLOCKS if kind.split()[:1] in (["js"], ["lua"], ["ts"])}
    assert kinds == {"js", "js foundry", "js discord", "js owlbear", "lua", "ts"}
