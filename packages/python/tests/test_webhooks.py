"""The verification of webhooks. A test of the service compares it with the library of Standard Webhooks."""

import base64
import hashlib
import hmac
import json
import time
import unittest

from oddswire import OddswireError, verify_webhook

SECRET = "whsec_" + base64.b64encode(b"\x01" * 24).decode()
OTHER = "whsec_" + base64.b64encode(b"\x02" * 32).decode()
NOW = 1_772_366_400
RETRACTION = {"type": "retraction", "position": "p", "known_at": None, "id": "ne_1 é\u2028"}
BODY = json.dumps({"messages": [RETRACTION], "position": "p"}, ensure_ascii=False).encode()


def signed(body=BODY, secret=SECRET, at=NOW):
    key = base64.b64decode(secret[6:])
    digest = hmac.new(key, f"msg_1.{at}.".encode() + body, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()


def headers(signature=None, at=NOW, **more):
    signature = signed(at=at) if signature is None else signature
    return {"webhook-id": "msg_1", "webhook-timestamp": str(at), "webhook-signature": signature, **more}


def verify(**parts):
    return verify_webhook(**{"secret": SECRET, "headers": headers(), "body": BODY, "now": NOW + 0.4, **parts})


class Webhooks(unittest.TestCase):
    def refused(self, name, **parts):
        with self.assertRaises(OddswireError) as caught:
            verify(**parts)
        self.assertEqual(str(caught.exception), f"invalid_webhook: Its {name} is not valid.")

    def test_return_id_changes_and_position(self):
        for body in (BODY, bytearray(BODY), BODY.decode(), [BODY[:73], BODY[73:]]):
            delivery = verify(body=body)
            self.assertEqual((delivery.id, delivery.reset, delivery.position), ("msg_1", False, "p"))
            self.assertEqual(delivery.messages, [RETRACTION])
        self.assertEqual(verify(headers={k.title(): v for k, v in headers().items()}).id, "msg_1")

    def test_accept_any_of_several_signatures_and_secrets(self):
        both = headers(f"v1a,other v1,x {signed(secret=OTHER)} {signed()}")
        for secret in (SECRET, OTHER, [OTHER, SECRET]):
            self.assertEqual(verify(headers=both, secret=secret).id, "msg_1")
        self.refused("signature", secret=[OTHER])
        self.refused("signature", secret=[])

    def test_refuse_another_secret_body_id_or_time_and_a_part_of_a_signature(self):
        good = signed()
        self.refused("signature", secret=OTHER)
        self.refused("signature", body=BODY + b" ")
        self.refused("signature", headers=headers(**{"webhook-id": "msg_2"}))
        self.refused("signature", headers=headers(good, NOW + 1))
        for part in (good[:-1], good + "=", good.replace("v1,", "v2,"), good[3:], "v1,", "", good.upper(), "é"):
            self.refused("signature", headers=headers(part))

    def test_refuse_a_request_without_one_of_the_headers(self):
        for name in headers():
            self.refused(name, headers={**headers(), name: ["a", "b"]})
            self.refused(name, headers={key: value for key, value in headers().items() if key != name})

    def test_refuse_a_request_that_is_too_old_or_ahead(self):
        for seconds in (-299, 0, 300):
            self.assertEqual(verify(headers=headers(at=NOW + seconds)).id, "msg_1")
        for seconds in (-300, 302):
            self.refused("timestamp", headers=headers(at=NOW + seconds))
        self.assertEqual(verify(headers=headers(at=NOW - 3_000), tolerance_seconds=3_600).id, "msg_1")
        for timestamp in ("", "x", "nan", "inf", "2026-03-01T12:00:00Z"):
            self.refused("timestamp", headers=headers(**{"webhook-timestamp": timestamp}))

    def test_use_the_current_time_by_default(self):
        self.assertEqual(verify(headers=headers(at=int(time.time())), now=None).id, "msg_1")

    def test_refuse_a_body_that_is_no_delivery(self):
        for body in (b"", b"{", b"[]", b"null", b'{"messages":[{}],"position":"p"}', b'{"messages":[]}'):
            self.refused("body", body=body, headers=headers(signed(body)))
        body = json.dumps({"reset": True, "messages": [{"type": "new", "position": "p"}], "position": "p"}).encode()
        delivery = verify(body=body, headers=headers(signed(body)))
        self.assertEqual((delivery.reset, delivery.messages), (True, []))

    def test_stop_reading_a_body_of_more_than_4_mb(self):
        taken = []
        pieces = (taken.append(n) or b"x" * 1_000_000 for n in range(8))
        self.refused("size", body=pieces)
        self.assertEqual(len(taken), 5)

    def test_name_a_secret_that_is_none(self):
        for secret in ("", "whsec_", "whsec_*", None):
            with self.assertRaisesRegex(OddswireError, "invalid_options.*`secret`"):
                verify(secret=[secret])
