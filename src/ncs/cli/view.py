"""ncs view: open the viewer: set goals by hand and watch the agent think."""

import webbrowser
from pathlib import Path

from pydantic import Field

from ncs.cli.command import Command, Model
from ncs.cli.console import report
from ncs.records import ConfigError


class View(Command):
    """Open the viewer: set a goal by hand, press solve, and watch the agent think.

    A page on this machine alone, with four tabs: solve (drag objects in the goal picture, step
    back and forth, read why, change nodes, slots and switches, upload two pictures of your own),
    graph, results and slot health. Stops with Ctrl-C.
    """

    model: tuple[Model, ...] = Field((), description="model folders beside those in checkpoints/")
    results: Path | None = Field(None, description="folder of result files (default: results/)")
    out: Path = Field(Path("runs/view"), description="folder for small buffers and graphs")
    host: str = Field("127.0.0.1", description="a loopback address; no other is answered")
    port: int = Field(8765, ge=0, le=65535, description="0 takes any that is free")
    no_browser: bool = Field(False, description="do not open a browser")

    def run(self) -> None:
        """Serves until it is interrupted."""
        try:
            from ncs.web.serve import address_of, open_socket, serve
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("ncs"):
                raise
            raise ConfigError(
                f"ncs view needs the package {error.name}: pip install 'ncs[view]'"
            ) from None
        from ncs.web.catalogue import find_folders

        folders = find_folders(self.model, self.results, self.out)
        listener = open_socket(self.host, self.port)
        address = address_of(listener)

        def ready() -> None:
            line = f"{address} shows {len(folders.models)} models; Ctrl-C ends it"
            report(line, {"url": address, "models": [str(m) for m in folders.models]}, self.as_json)
            if not self.no_browser:
                webbrowser.open(address)

        serve(listener, folders, ready)
