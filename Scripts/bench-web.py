#!/usr/bin/env python3
"""Runs what Benchmarks/Web measures and prints ratios; see Scripts/bench-web.sh."""
import os
import pathlib
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

TOOL, ONLY = sys.argv[1], sys.argv[2].split(",")
PAIRS, LOADS = int(os.environ.get("PAIRS", 15)), int(os.environ.get("LOADS", 20))
misses = []


def run(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=600).stdout


def spread(values: list[float], digits: int = 2) -> str:
    return (f"median {statistics.median(values):.{digits}f} "
            f"({min(values):.{digits}f} to {max(values):.{digits}f}, {len(values)} times)")


def say(what: str, values: list[float], limit: float, at_most: bool, digits: int = 2) -> None:
    middle = statistics.median(values)
    good = middle <= limit if at_most else middle >= limit
    word = "at most" if at_most else "at least"
    print(f"{what}: {spread(values, digits)}, wanted {word} {limit}: "
          f"{'reached' if good else 'MISSED'}", flush=True)
    if not good:
        misses.append(what)


def archive(site: str, file: str) -> None:
    seconds = []
    for _ in range(5):
        words = run(TOOL, "pack", site, file).split()
        seconds.append(float(words[0]))
    print(f"site: {words[3]} files, {int(words[1]) / 1e6:.1f} MB, packed {int(words[2]) / 1e6:.1f} MB")
    say("pack the folder, seconds", seconds, 1.5, True)
    opened = [run(TOOL, "open", file).split() for _ in range(15)]
    say("open and serve the first entry, milliseconds", [float(o[0]) for o in opened], 5, True)
    say("memory for that, MB", [int(o[1]) / 1024 for o in opened], 5, True)


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nothing listens on port {port}")


def serve(work: pathlib.Path, site: str, file: str) -> None:
    ours_port, nginx_port = free_port(), free_port()
    conf = work / "nginx.conf"
    conf.write_text(f"""
worker_processes auto; daemon off; pid {work}/nginx.pid; error_log {work}/error.log;
events {{ worker_connections 512; }}
http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; etag on;
  types {{ text/html html; text/javascript js; text/css css; }} default_type application/octet-stream;
  client_body_temp_path {work}/b; proxy_temp_path {work}/p; fastcgi_temp_path {work}/f;
  uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
  server {{ listen 127.0.0.1:{nginx_port}; root {site}; }} }}
""")
    names = sorted(p.name for p in pathlib.Path(site).iterdir())
    random.Random(1).shuffle(names)
    script = work / "paths.lua"
    # Every file in turn, so that no small cache answers everything.
    script.write_text("local paths = {" + ",".join(f'"/{n}"' for n in names) + "}\nlocal at = 0\n"
                      "request = function() at = at % #paths + 1; "
                      "return wrk.format('GET', paths[at]) end\n")
    os.chmod(work, 0o755)
    servers = [subprocess.Popen([TOOL, "serve", file, str(ours_port)], stdout=subprocess.DEVNULL),
               subprocess.Popen(["nginx", "-p", str(work), "-c", str(conf)],
                                stderr=subprocess.DEVNULL)]
    try:
        for port in (ours_port, nginx_port):
            wait_for(port)

        def load(port: int, seconds: int) -> float:
            text = run("wrk", "-t1", "-c8", f"-d{seconds}s", "-s", str(script),
                       f"http://127.0.0.1:{port}/")
            if re.search(r"Non-2xx|Socket errors: .*[1-9]", text):
                sys.exit(f"requests failed:\n{text}")
            return float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))

        for port in (ours_port, nginx_port):
            load(port, 1)
        ratios, ours, theirs = [], [], []
        for pair in range(PAIRS):
            rates = {}
            for port in (ours_port, nginx_port)[:: 1 if pair % 2 else -1]:
                rates[port] = load(port, 2)
            ours.append(rates[ours_port])
            theirs.append(rates[nginx_port])
            ratios.append(ours[-1] / theirs[-1])
        print(f"requests a second: ours {spread(ours, 0)}, nginx {spread(theirs, 0)}")
        say("serving entries against nginx", ratios, 0.7, False)
    finally:
        for server in servers:
            server.send_signal(signal.SIGTERM)
        for server in servers:
            server.wait(timeout=20)


def load_pages(site: str, file: str) -> None:
    env = dict(os.environ, GSK_RENDERER="cairo")
    text = subprocess.run(
        ["xvfb-run", "-a", "-s", "-screen 0 1024x768x24", TOOL, "load", file, site, str(LOADS)],
        check=True, capture_output=True, text=True, timeout=900, env=env).stdout
    pairs = [tuple(map(float, line.split())) for line in text.splitlines()
             if re.match(r"^[\d.]+ [\d.]+$", line)][1:]
    if len(pairs) < LOADS:
        sys.exit(f"only {len(pairs)} pairs of {LOADS}:\n{text}")
    print(f"page of 60 scripts and 60 styles, milliseconds: archive "
          f"{spread([p[0] for p in pairs], 0)}, file:// {spread([p[1] for p in pairs], 0)}")
    say("loading a page against file://", [a / f for a, f in pairs], 1.25, True)


with tempfile.TemporaryDirectory(prefix="bench-web-") as folder:
    work = pathlib.Path(folder)
    site, file = str(work / "site"), str(work / "site.wvb")
    run(TOOL, "make", site)
    run(TOOL, "pack", site, file)
    if "open" in ONLY:
        archive(site, file)
    if "serve" in ONLY:
        serve(work, site, file)
    if "load" in ONLY:
        load_pages(site, file)
if misses:
    sys.exit("missed: " + "; ".join(misses))
