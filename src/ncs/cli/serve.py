"""ncs serve: answer a robot's loop over HTTP."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from ncs.cli.command import Command, MaybeWorld, Model, which_world
from ncs.cli.console import report
from ncs.records import ConfigError, DataError
from ncs.registry import default_world

LEAST_TOKEN = 16  # characters


class Serve(Command):
    """Answer POST /v1/act with the next pick and place for two pictures, until Ctrl-C.

    Everything a caller can ask is described at /openapi.json, /healthz and /metrics are for those
    who look after it. It answers this machine alone; with --token-file, whose secret every caller
    sends as 'Authorization: Bearer SECRET', it may listen elsewhere. Callers who come at once are
    answered together; when too many wait they get 503 and ask again. On SIGTERM it answers what
    waits and ends.
    """

    world: MaybeWorld = Field(
        None,
        description=f"{which_world()} (default: the model's own, or {default_world()})",
    )
    model: Model | None = Field(
        None, description="a folder made by 'ncs train' and 'ncs graph' (default: the world's own)"
    )
    objects: int | None = Field(None, ge=1, le=64, description="things there may be, at most")
    preset: Literal["paper", "best"] = Field("best", description="the paper's way, or ours")
    host: str = Field("127.0.0.1", description="an address; any but this machine's needs a token")
    port: int = Field(8766, ge=0, le=65535, description="0 takes any that is free")
    token_file: Path | None = Field(None, description="a file with the secret that callers send")
    name: tuple[str, ...] = Field((), description="host names by which callers reach it")

    def run(self) -> None:
        """Serves until it is told to end."""
        from ncs.agent.shelf import default_model

        token = read_token(self.token_file) if self.token_file else None
        try:
            from ncs.service.build import make_service
            from ncs.service.serve import bind_socket, serve
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("ncs"):
                raise
            raise ConfigError(
                f"ncs serve needs the package {error.name}: pip install 'ncs[view]'"
            ) from None
        folder = self.model or default_model(self.world or default_world())
        with bind_socket(self.host, self.port, token is not None) as listener:
            service = make_service(folder, self.preset, self.objects, self.world)
            host, port = listener.getsockname()[:2]
            address = f"http://{f'[{host}]' if ':' in host else host}:{port}"

            def ready() -> None:
                facts = {"url": address, **service.facts}
                line = f"{address} answers for {service.facts['world']}; Ctrl-C ends it"
                report(line, facts, self.as_json)

            serve(listener, service, token, self.name, ready)


def read_token(path: Path) -> str:
    """The secret in a file; refuses one that could be guessed."""
    try:
        token = path.read_text("utf-8")[:4096].strip()
    except (OSError, UnicodeDecodeError):
        raise DataError(f"{path}: cannot be read; write a secret into it") from None
    if len(token) < LEAST_TOKEN or not token.isascii() or not token.isprintable():
        raise ConfigError(f"{path}: needs at least {LEAST_TOKEN} plain characters")
    return token
