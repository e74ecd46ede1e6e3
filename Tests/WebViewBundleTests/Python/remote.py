"""A small remote written from the contract, with faults on demand, for tests.

    remote.py FOLDER    serves FOLDER/server.json, prints "port N", logs requests to FOLDER/log

server.json is read for every request:
{"bundles": {name: {"deployed": version, "channels": {channel: version},
                    "versions": {version: {"file": path, "integrity": s, "signature": s}}}},
 "allowOther": bool, "fault": {kind: argument}}
"""
import hashlib
import http.server
import json
import os
import sys
import time
import urllib.parse

folder = sys.argv[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def refuse(self, status, message="no"):
        body = json.dumps({"message": message}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self):
        self.answer()

    def do_GET(self):
        self.answer()

    def answer(self):
        config = json.load(open(os.path.join(folder, "server.json")))
        fault = config.get("fault", {})
        url = urllib.parse.urlsplit(self.path)
        channel = urllib.parse.parse_qs(url.query).get("channel", [None])[0]
        with open(os.path.join(folder, "log"), "a") as log:
            wanted = self.headers.get("Range", "")
            log.write(f"{self.command} {self.path} {wanted}\n")
        parts = [part for part in url.path.split("/") if part]
        if "page" in fault:
            body = fault["page"].encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        if "status" in fault:
            return self.refuse(fault["status"], fault.get("message", "no"))
        if "redirect" in fault:
            self.send_response(302)
            self.send_header("Location", fault["redirect"] + self.path)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if not parts or parts[0] != "bundles" or len(parts) > 3:
            return self.refuse(404)
        bundles = config["bundles"]

        def deployed(bundle):
            return bundle.get("channels", {}).get(channel, bundle.get("deployed"))

        if len(parts) == 1:
            body = json.dumps([
                {"name": name, "version": deployed(bundle)}
                for name, bundle in bundles.items() if deployed(bundle)]).encode()
            if "list" in fault:
                body = fault["list"].encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        bundle = bundles.get(parts[1])
        if bundle is None:
            return self.refuse(404)
        version = parts[2] if len(parts) == 3 else deployed(bundle)
        if len(parts) == 3 and not config.get("allowOther") and "forbidExact" in fault:
            return self.refuse(403)
        if len(parts) == 3 and not config.get("allowOther") and version != bundle["deployed"]:
            return self.refuse(403)
        entry = bundle["versions"].get(version)
        if entry is None:
            return self.refuse(404)
        self.send_bundle(parts[1], version, entry, fault)

    def send_bundle(self, name, version, entry, fault):
        data = open(os.path.join(folder, entry["file"]), "rb").read()
        etag = '"%s"' % hashlib.sha256(data).hexdigest()[:16]
        start = 0
        wanted = self.headers.get("Range")
        if wanted and self.headers.get("If-Range", etag) == etag and "noRanges" not in fault:
            start = int(wanted.split("=")[1].rstrip("-"))
            if start >= len(data):
                return self.refuse(416)
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        headers = {
            "Webview-Bundle-Name": name, "Webview-Bundle-Version": version, "ETag": etag,
            "Content-Type": "application/webview-bundle",
            "Webview-Bundle-Integrity": entry.get("integrity"),
            "Webview-Bundle-Signature": entry.get("signature"),
        }
        headers.update(fault.get("headers", {}))
        for key, value in headers.items():
            if value is not None:
                self.send_header(key, value)
        body = data[start:]
        if "flip" in fault:
            body = bytearray(body)
            body[fault["flip"]] ^= 1
        if "garbage" in fault:
            body = b"garbage" * 20
        if "noLength" in fault and self.command != "HEAD":
            self.send_header("Connection", "close")
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        cut = fault.get("cut")
        if cut is not None:
            self.wfile.write(body[:max(0, cut - start)])
            self.wfile.flush()
            self.close_connection = True
            return
        if "slow" in fault:
            for index in range(len(body)):
                try:
                    self.wfile.write(body[index:index + 1])
                    self.wfile.flush()
                except OSError:
                    return
                time.sleep(fault["slow"])
            return
        self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print("port", server.server_address[1], flush=True)
server.serve_forever()
