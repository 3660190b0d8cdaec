"""Who may ask: a secret that every request must carry, compared in constant time."""

import hmac

from ncs.web.guard import App, Receive, Scope, Send, answer

OPEN = frozenset({"/healthz"})  # for machines that only ask whether it lives


class TokenGate:
    """An ASGI application that lets through what carries the token; all, where there is none."""

    def __init__(self, app: App, token: str | None) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode() if token else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers 401 or passes on."""
        if scope["type"] == "http" and self._expected and scope["path"] not in OPEN:
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, self._expected):
                await answer(send, 401, "Authorization: send 'Bearer' and the service's token")
                return
        await self._app(scope, receive, send)
