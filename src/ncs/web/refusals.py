"""Takes what is wrong with a request, gives an answer of one line; viewer and service alike."""

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException


def add_refusals(app: FastAPI) -> None:
    """Answers requests of the wrong shape, unknown addresses and the like with an error line."""
    app.add_exception_handler(RequestValidationError, refuse_form)
    app.add_exception_handler(HTTPException, refuse_other)


async def refuse_form(_: Request, error: Exception) -> Response:
    """A request of the wrong shape."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"])
    return JSONResponse({"error": f"{name}: {first['msg'].lower()}"}, 422)


async def refuse_other(_: Request, error: Exception) -> Response:
    """An unknown address, a method that it does not have, a body that is no JSON."""
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail.lower()}, error.status_code, error.headers)
