"""Connections over TLS: slow ones, and those of a server that is not trusted."""

import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
from unittest import mock

from oddswire import Oddswire

from small_server import KEY, PAGE, page
from test_calls import caught

CREATE = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
NAMES = ["-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "certificate.pem"]


@unittest.skipUnless(shutil.which("openssl"), "this machine has no command openssl")
class Tls(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        subprocess.run([*CREATE.split(), *NAMES], cwd=folder.name, check=True, capture_output=True)
        self.certificate = os.path.join(folder.name, "certificate.pem")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, os.path.join(folder.name, "key.pem"))
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        self.url = f"https://localhost:{listener.getsockname()[1]}"
        threading.Thread(target=self.serve, args=(listener, context), daemon=True).start()

    def serve(self, listener, context):
        """Each step takes longer than a slice of the waits of the client."""
        connection, _ = listener.accept()
        time.sleep(0.15)
        try:
            with context.wrap_socket(connection, server_side=True) as secured:
                secured.recv(65_536)
                sent = page({**PAGE, "items": ["x" * 200_000]})
                for start in range(0, len(sent), 70_000):
                    time.sleep(0.15)
                    secured.sendall(sent[start : start + 70_000])
        except ssl.SSLError:
            connection.close()

    def test_read_a_page_of_a_slow_server(self):
        with mock.patch.dict(os.environ, {"SSL_CERT_FILE": self.certificate}):
            self.assertEqual(Oddswire(self.url, KEY, retries=0).page().items, ["x" * 200_000])

    def test_send_no_key_to_a_server_that_is_not_trusted(self):
        error = caught(Oddswire(self.url, KEY, retries=0).page)
        self.assertEqual(error.code, "connection_failed")
        self.assertIn("(CERTIFICATE_VERIFY_FAILED)", str(error))
        self.assertIsInstance(error.__cause__, ssl.SSLCertVerificationError)


class Names(unittest.TestCase):
    def test_that_nobody_has_are_named(self):
        with mock.patch("socket.getaddrinfo", side_effect=socket.gaierror(-2, "Name or service not known")):
            error = caught(Oddswire("http://nobody.example", KEY, retries=0).page)
        self.assertIn("http://nobody.example (ENOTFOUND)", str(error))
