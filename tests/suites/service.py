"""A local service with replies that a test sets."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Service:
    """Replies what ``answer(request, number)`` gives: status, headers and body; a None closes the connection.

    A body may be an iterable of bytes, which are sent one by one.
    """

    def __init__(self, answer):
        self.answer = answer
        self.connections = 0
        self.requests = []
        self.times = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=[0.01], daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def _handler(service):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                with service._lock:
                    service.connections += 1

            def reply(self):
                content = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
                request = {"method": self.command, "path": self.path, "headers": dict(self.headers), "body": content}
                with service._lock:
                    service.requests.append(request)
                    service.times.append(time.monotonic())
                    number = len(service.requests)
                answer = service.answer(request, number)
                if answer is None:
                    self.close_connection = True
                    return
                status, headers, body = answer
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                if isinstance(body, str | dict | list):
                    body = [(body if isinstance(body, str) else json.dumps(body)).encode()]
                    self.send_header("Content-Length", len(body[0]))
                else:
                    self.close_connection = True
                self.end_headers()
                for part in body:
                    self.wfile.write(part)

            do_GET = do_POST = do_PUT = reply

            def log_message(self, *_words):
                pass

        return Handler
