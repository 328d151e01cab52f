# A webhook receiver in Python without dependencies. Run it: WEBHOOK_SECRET=whsec_... PORT=8080 python3 receiver.py
import base64
import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
# A delivery has at most 256 KiB.
MAX_BYTES = 300_000


def is_genuine(secret, headers, body):
    """Returns whether the delivery was signed recently with your secret. `body` must be the unchanged bytes."""
    delivery_id = headers.get("webhook-id") or ""
    timestamp = headers.get("webhook-timestamp") or ""
    signatures = headers.get("webhook-signature") or ""
    if not delivery_id or not re.fullmatch("[0-9]{1,12}", timestamp):
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{delivery_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # During a rotation of the secret there are two signatures. One of them must match.
    return any([hmac.compare_digest(given.encode(), expected) for given in signatures.split(" ")])


# A delivery can arrive twice. Store the ids in your database, in the transaction that does the work.
seen = set()


class Receiver(BaseHTTPRequestHandler):
    # Closes connections that send nothing for this long.
    timeout = 30

    def do_POST(self):
        length = self.headers.get("content-length")
        if length is None:
            return self.answer(411)
        if not re.fullmatch("[0-9]{1,12}", length):
            return self.answer(400)
        if int(length) > MAX_BYTES:
            return self.answer(413)
        body = self.rfile.read(int(length))
        if not is_genuine(secret, self.headers, body):
            return self.answer(401)
        try:
            delivery = json.loads(body)
            event, delivery_id = delivery["event"], delivery["id"]
        except (ValueError, KeyError, TypeError):
            return self.answer(400)
        if delivery_id not in seen:
            seen.add(delivery_id)
            print(event, delivery_id, flush=True)
        # If the work takes longer than a few seconds, respond first.
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    secret = os.environ.get("WEBHOOK_SECRET", "")
    try:
        if not secret.startswith("whsec_") or len(base64.b64decode(secret[6:], validate=True)) < 24:
            raise ValueError
    except ValueError:
        raise SystemExit("Set WEBHOOK_SECRET to the secret that webhooks.create returned.") from None
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver)
    print("listening on", server.server_address[1], flush=True)
    server.serve_forever()
