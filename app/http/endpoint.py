"""From rule functions to endpoints: the one place where an action meets HTTP."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from fastapi import APIRouter
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from app.http.call import AtOnce, Call, Handler, Headers, Reply
from app.http.describe import ADMISSION, ADMISSION_STATUSES, problem_responses
from app.http.problem import Problem, to_json
from app.http.query import parameters

CALL: Final = "wurf.call"
"""Where the edge leaves the call in the ASGI scope for routes that FastAPI finds."""
CACHED: Final = "public, max-age=300"
LANGUAGE_ONLY: Final = frozenset({"lang"})


def as_response(reply: Reply) -> Response:
    """Hand a reply to FastAPI."""
    response = Response(reply.body, reply.status)
    response.raw_headers += reply.headers
    return response


class Endpoint(APIRoute):
    """A route that is in FastAPI's document and is answered by the edge.

    FastAPI comes to answer only what its patterns match beyond the paths that there are: a document that a
    family does not hold, or a path with a line end behind it.
    """

    def get_route_handler(self) -> Any:
        """Answer, where FastAPI would have called the endpoint, that there is nothing here."""
        return _nothing_here


class ServiceRouter(APIRouter):
    """A router that also lists its paths, so that the edge finds them without searching."""

    def __init__(self) -> None:
        """Start without routes."""
        super().__init__(route_class=Endpoint, redirect_slashes=False)
        self.exact: dict[str, dict[str, Handler]] = {}
        self.at_once: dict[str, AtOnce] = {}
        """What a POST to a path without a query is answered with, where nothing has to be waited for."""
        self.open: set[str] = set()
        """Paths without room, keys and limits before them."""
        self.families: dict[str, str] = {}
        """The template of each path that is one of many."""
        self.answers: dict[str, dict[str, Any]] = {}

    def serve(
        self,
        method: str,
        path: str,
        handler: Handler,
        documentation: Any,
        *,
        guarded: bool = True,
        **route: Any,
    ) -> None:
        """Add a route: FastAPI documents it by the signature of `documentation`, `handler` answers it.

        One that is guarded has room, keys and limits before it.
        """
        if guarded:
            route["responses"] = route.get("responses", {}) | problem_responses(*ADMISSION_STATUSES)
            route["openapi_extra"] = route.get("openapi_extra", {}) | ADMISSION
        else:
            self.open.add(path)
        self.add_api_route(path, documentation, methods=[method], **{"description": route["summary"]} | route)
        self.exact.setdefault(path, {})[method] = handler

    def document(self, path: str, summary: str, build: Any, cache: str = CACHED, **route: Any) -> None:
        """Add a document that is the same for every caller and made once."""
        self.serve(
            "GET",
            path,
            _document(build, cache),
            takes_nothing,
            guarded=False,
            summary=summary,
            responses=problem_responses(400),
            **route,
        )

    def documents(self, template: str, summary: str, build: Mapping[str, Any], **route: Any) -> None:
        """Add a family of documents whose names fill the one variable of a path template."""
        prefix, _, variable = template.partition("{")
        names = {
            "name": variable.rstrip("}"),
            "in": "path",
            "required": True,
            "schema": {"type": "string", "enum": sorted(build)},
        }
        self.add_api_route(
            template,
            takes_nothing,
            methods=["GET"],
            summary=summary,
            description=summary,
            responses=problem_responses(400, 404),
            openapi_extra={"parameters": [names]},
            **route,
        )
        for name, content in build.items():
            self.exact[prefix + name] = {"GET": _document(content, CACHED)}
            self.open.add(prefix + name)
            self.families[prefix + name] = template


def _document(content: Any, cache: str) -> Handler:
    body = to_json(content)
    headers: Headers = [(b"content-type", b"application/json"), (b"cache-control", cache.encode())]

    async def handler(call: Call) -> Reply:
        parameters(call.scope["query_string"], LANGUAGE_ONLY)
        return Reply(body, headers)

    return handler


async def _nothing_here(_request: Request) -> Response:
    raise Problem("not_found")


def takes(model: type[BaseModel]) -> Callable[..., None]:
    """Make a function whose signature tells FastAPI what the body is. It is never called."""

    def documentation(body: Any) -> None: ...

    documentation.__annotations__["body"] = model
    return documentation


def takes_nothing() -> None:
    """Tell FastAPI that there is no body. It is never called."""
