"""What patchd does, beside nginx over the same files, and how cost grows (make bench-server).

    python server.py PATCHD [--pairs 15] [--seconds 2] [--quick] [--pairs-only | --growth-only] [--soak MINUTES]

Needs wrk, h2load, nginx and the Python tools of the tests. Everything runs on loopback with two threads or
workers each; ratios are of interleaved pairs within one run. Prints a report in Markdown.
"""

import argparse, hashlib, http.client, json, os, re, shutil, signal, socket, sqlite3, statistics
import subprocess, sys, tempfile, time, urllib.request, uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path

from securesystemslib.formats import encode_canonical
from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import (
    DelegatedRole, Delegations, Key, Metadata, Role, Root, TargetFile, Targets,
)

HERE = Path(__file__).resolve().parent
RELEASE = "cd" * 32


def fingerprint(number):
    return f"{number:016x}" + "ab" * 24


class Patchd:
    """A server over a folder, on a free port."""

    def __init__(self, program, folder):
        self.folder = Path(folder)
        self.process = subprocess.Popen(
            [program, "--data", folder, "--port", "0", "--threads", "2", "--change-rate",
             "10000000", "--telemetry-rate", "10000000", "--install-rate", "10000000"],
            stdout=subprocess.PIPE, stderr=open(f"{folder}.log", "ab"), text=True)
        self.base = self.process.stdout.readline().split()[-1]
        self.admin = (self.folder / "admin-token").read_text().strip()

    def call(self, method, path, token, body=None, kind="application/json"):
        request = urllib.request.Request(
            self.base + path, data=body, method=method,
            headers={"Authorization": f"Bearer {token}", "Content-Type": kind})
        with urllib.request.urlopen(request, timeout=300) as answer:
            return json.loads(answer.read() or b"null")

    def cpu(self):
        """Seconds of processor time so far."""
        return processor_time(self.process.pid)

    def memory(self):
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


class Publisher:
    """An app with as many heads as a test wants, signed by python-tuf."""

    def __init__(self, server):
        self.server = server
        made = server.call("POST", "/api/v1/apps", server.admin, b'{"name":"Bench"}')
        self.key, self.app_id, self.token = made["app_key"], made["app_id"], made["token"]
        self.root, self.targets = CryptoSigner.generate_ed25519(), CryptoSigner.generate_ed25519()
        freshness = [self.read_key(k) for k in made["freshness_keys"]]
        self.expires = (datetime.now(timezone.utc) + timedelta(days=300)).replace(microsecond=0)
        keys = {k.keyid: k for k in [self.root.public_key, self.targets.public_key, *freshness]}
        ids = [k.keyid for k in freshness]
        root = Root(
            1, "1.0.31", self.expires, keys,
            {"root": Role([self.root.public_key.keyid], 1),
             "targets": Role([self.targets.public_key.keyid], 1),
             "snapshot": Role(ids, 1), "timestamp": Role(ids, 1)}, True,
            {"x_openpatch": {"app_id": self.app_id, "min_sequence": 0, "min_targets_version": 0}})
        self.first = self.sign(root, self.root)

    @staticmethod
    def read_key(document):
        keyid = hashlib.sha256(encode_canonical(document).encode()).hexdigest()
        return Key.from_dict(keyid, dict(document))

    @staticmethod
    def sign(document, signer):
        metadata = Metadata(document)
        metadata.sign(signer)
        return metadata.to_bytes()

    def post(self, metadata, targets):
        boundary = "bench-boundary"
        parts = []
        for kind, files in (("metadata", metadata), ("target", targets)):
            for name, content in files:
                parts.append(
                    f'--{boundary}\r\nContent-Disposition: form-data; name="{kind}"; '
                    f'filename="{name}"\r\n\r\n'.encode() + content + b"\r\n")
        body = b"".join(parts) + f"--{boundary}--\r\n".encode()
        return self.server.call(
            "POST", f"/api/v1/apps/{self.key}/releases", self.token, body,
            f"multipart/form-data; boundary={boundary}")

    def role(self, version, files, name):
        return self.sign(
            Targets(version, "1.0.31", self.expires, files, None,
                    {"x_openpatch": {"role": name}}), self.targets)

    def publish(self, channels, fingerprints):
        """One head for each channel and fingerprint."""
        key = self.targets.public_key
        names = {}
        for number in range(1, fingerprints + 1):
            fp16 = fingerprint(number)[:16]
            names[f"build-{fp16}"] = DelegatedRole(
                f"build-{fp16}", [key.keyid], 1, True,
                [f"modules/{fp16}/*", f"deltas/{fp16}/*", f"heads/*/module/{fp16}.json",
                 f"heads/*/bundle/*/{fp16}.json"])
        roles = [(f"1.{name}.json", self.role(1, {}, name)) for name in names]
        # The first upload must be whole, and an upload has 64 parts at most: so builds are added in
        # steps, each with its delegation.
        step, version = 50, 0
        listed = list(names)
        for begin in range(0, len(listed), step):
            version += 1
            part = {name: names[name] for name in listed[:begin + step]}
            targets = Targets(
                version, "1.0.31", self.expires, {}, Delegations({key.keyid: key}, part),
                {"x_openpatch": {"role": "targets"}})
            files = [(f"{version}.targets.json", self.sign(targets, self.targets))]
            if begin == 0:
                files.insert(0, ("1.root.json", self.first))
            files += roles[begin:begin + step]
            self.post(files, [])
        self.versions = {name: 1 for name in names}
        self.files = {name: {} for name in names}
        for number in range(1, fingerprints + 1):
            for begin in range(1, channels + 1, 50):
                self.heads(number, range(begin, min(begin + 50, channels + 1)), 1)

    def heads(self, number, channels, sequence):
        name = f"build-{fingerprint(number)[:16]}"
        uploads = []
        for channel in channels:
            head = json.dumps({
                "v": 1, "app_id": self.app_id, "platform": "linux", "channel": f"c{channel}",
                "fp": fingerprint(number), "kind": "run", "head_seq": sequence,
                "returnable": [], "recalled": [], "data_epoch": 0, "retry_generation": 0,
            }, sort_keys=True).encode()
            path = f"heads/c{channel}/module/{fingerprint(number)[:16]}.json"
            self.files[name][path] = TargetFile.from_data(path, head, ["sha256"])
            uploads.append((path, head))
        self.versions[name] += 1
        version = self.versions[name]
        begun = time.monotonic()
        self.post([(f"{version}.{name}.json", self.role(version, self.files[name], name))], uploads)
        return time.monotonic() - begun


class Nginx:
    """nginx over the same files, tuned for small ones."""

    def __init__(self, folder, root):
        self.folder = Path(folder)
        self.folder.mkdir()
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        # As root it would change to a user who may not read the folder.
        user = "user root;" if os.getuid() == 0 else ""
        (self.folder / "nginx.conf").write_text(f"""
            {user} worker_processes 2; pid {folder}/pid; error_log {folder}/error.log;
            events {{ worker_connections 4096; }}
            http {{
                access_log off; etag on; sendfile on; tcp_nopush on; keepalive_requests 1000000;
                open_file_cache max=1000 inactive=60s; open_file_cache_valid 1s;
                client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
                fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
                types {{ application/json json; }}
                server {{ listen 127.0.0.1:{port} backlog=512; root {root};
                    add_header Cache-Control no-cache; }}
            }}""")
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        self.process = subprocess.Popen(
            [nginx, "-c", f"{folder}/nginx.conf", "-p", folder, "-g", "daemon off;"])
        for _ in range(200):
            try:
                urllib.request.urlopen(self.base + "/metadata/timestamp.json")
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("nginx did not start")

    def cpu(self):
        main = self.process.pid
        return processor_time(main, *Path(f"/proc/{main}/task/{main}/children").read_text().split())

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def processor_time(*processes):
    ticks = 0
    for process in processes:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def tag(url):
    return urllib.request.urlopen(url).headers["ETag"]


def check_rate(url, seconds, etag=None):
    """Requests a second and the 99th percentile in milliseconds.

    By h2load, because wrk waits for the body that the Content-Length of a 304 speaks of.
    """
    with tempfile.NamedTemporaryFile(prefix="openpatch-h2load-") as log:
        words = ["h2load", "--h1", "-t1", "-c32", f"-D{seconds}", f"--log-file={log.name}"]
        if etag:
            words += ["-H", f"If-None-Match: {etag}"]
        text = subprocess.run([*words, url], capture_output=True, text=True, check=True).stdout
        wanted = "304" if etag else "200"
        lines = [line.split() for line in open(log.name)]
    if not lines or any(line[1] != wanted for line in lines):
        raise SystemExit(f"{url} was not answered with {wanted}:\n{text}")
    times = sorted(int(line[2]) for line in lines)
    return len(lines) / seconds, times[int(len(times) * 0.99)] / 1000


def compare(servers, urls, pairs, seconds, conditional):
    """Medians over interleaved pairs of patchd and nginx: ratio of rates, ratio of requests for the
    same processor time (which a busy machine changes least), ratio of 99th percentiles, both rates."""
    tags = [tag(u) if conditional else None for u in urls]
    results = []
    for pair in range(pairs):
        rate, tail, cost = [0, 0], [0, 0], [0, 0]
        for side in [0, 1] if pair % 2 == 0 else [1, 0]:
            before = servers[side].cpu()
            rate[side], tail[side] = check_rate(urls[side], seconds, tags[side])
            cost[side] = (servers[side].cpu() - before) / (rate[side] * seconds)
        results.append((rate[0] / rate[1], cost[1] / cost[0], tail[0] / tail[1], *rate,
                        cost[0] * 1e6, cost[1] * 1e6))
    return [statistics.median(x) for x in zip(*results)]


def tell(server, app, installs, fingerprints, seconds, connections=16):
    """Events a second by the clock, processor time per event in microseconds, p99 in ms, refusals."""
    before, begun = server.cpu(), time.monotonic()
    text = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", HERE / "server.lua",
         f"{server.base}/api/v1/apps/{app}/events", "--", str(installs), str(fingerprints),
         RELEASE], capture_output=True, text=True, check=True).stdout
    requests, duration, tail, refused = re.search(r"RESULT (\d+) (\d+) (\d+) (\d+)", text).groups()
    events = int(requests) * 50
    used = server.cpu() - before
    return (events / (int(duration) / 1e6), used / events * 1e6, int(tail) / 1000, int(refused))


def know(folder, app, installs, fingerprints):
    """Fills the telemetry with installs that told of a release before."""
    database = sqlite3.connect(f"{folder}/telemetry.sqlite")
    now, day = int(time.time()), int(time.time()) // 86400
    database.executescript("PRAGMA synchronous=OFF; PRAGMA cache_size=-400000;")
    database.execute("INSERT OR IGNORE INTO names (app, kind, name) VALUES (?,0,?)", (app, app))
    database.execute("INSERT OR IGNORE INTO names (app, kind, name) VALUES (?,2,?)", (app, RELEASE))
    for number in range(1, fingerprints + 1):
        database.execute(
            "INSERT OR IGNORE INTO names (app, kind, name) VALUES (?,1,?)",
            (app, fingerprint(number)))
    def name(kind, text):
        return database.execute(
            "SELECT id FROM names WHERE app=? AND kind=? AND name=?", (app, kind, text)).fetchone()[0]
    app_id, release, first = name(0, app), name(2, RELEASE), name(1, fingerprint(1))
    builds = [name(1, fingerprint(n)) for n in range(1, fingerprints + 1)]
    def rows():
        for index in range(installs):
            yield (app_id, bytes.fromhex(f"00000000000040008000{index:012x}"),
                   builds[index % fingerprints], release, 4, now - 3600.0, os.urandom(16), "0.1.0",
                   "iOS 17.5", "2.4", now - 86400, now - index % 86400, day - 1, 5)
    database.executemany(
        "INSERT OR IGNORE INTO installs (app, install, build, release, event, at, event_id, sdk, os, "
        "app_version, first_seen, last_seen, day, day_events) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        rows())
    database.execute(
        "INSERT OR IGNORE INTO states (release, build, install, events, joined, activated, ready, word, "
        "word_at) SELECT release, build, id, 27, first_seen, first_seen, first_seen, 1, at FROM installs")
    if not database.execute("SELECT count(*) FROM days WHERE day=?", (day,)).fetchone()[0]:
        database.execute("INSERT INTO days VALUES (?)", (day,))
        form = database.execute(
            "SELECT sql FROM sqlite_schema WHERE name='events_off'").fetchone()[0]
        database.execute(form.replace("events_off", f"events_{day}"))
    database.execute(
        f"INSERT OR IGNORE INTO events_{day} (install, id, event, at, received, build, release) "
        "SELECT id, randomblob(16), 4, at, last_seen, build, release FROM installs")
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def timed(server, path, token, times=3):
    results = []
    for _ in range(times):
        begun = time.monotonic()
        server.call("GET", path, token)
        results.append(time.monotonic() - begun)
    return min(results) * 1000


def soak(options, place, running):
    """Everything at once for a while, at a rate that leaves the machine usable: checks, telemetry of
    installs that come and go, releases, broken connections. Memory must not grow with time."""
    server = Patchd(options.patchd, f"{place}/soak")
    running.append(server)
    app = Publisher(server)
    app.publish(1, 1)
    key, began = app.key, time.monotonic()
    url = f"{server.base}/api/v1/apps/{key}/metadata/timestamp.json"
    host, port = server.base.removeprefix("http://").split(":")
    requests, sequence, samples, batch = 0, 1, [], 0
    connection = http.client.HTTPConnection(host, int(port), timeout=300)

    def ask(method, path, body=None, headers={}):
        nonlocal requests
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        answer.read()
        requests += 1
        if answer.status >= 500:
            raise SystemExit(f"{method} {path} was answered with {answer.status}")
        return answer

    print("| minute | MiB | descriptors | requests | releases |")
    print("|---|---|---|---|---|")
    for minute in range(options.soak):
        until = began + 60 * (minute + 1)
        while time.monotonic() < until:
            etag = ask("GET", url.removeprefix(server.base)).headers["ETag"]
            for _ in range(50):
                ask("GET", url.removeprefix(server.base), headers={"If-None-Match": etag})
            for _ in range(10):
                batch += 1
                events = [{
                    "id": str(uuid.uuid4()), "name": name, "at": time.time(), "sdk": "0.1.0",
                    "fingerprint": fingerprint(1), "release": RELEASE,
                } for name in ("check", "download", "activate", "ready")]
                install = f"00000000-0000-4000-8000-{batch % 20_000:012x}"
                ask("POST", f"/api/v1/apps/{key}/events",
                    json.dumps({"install_id": install, "events": events}),
                    {"Content-Type": "application/json"})
            ask("GET", f"/api/v1/apps/{key}/insights", headers={"Authorization": f"Bearer {app.token}"})
            ask("POST", f"/api/v1/apps/{key}/events", "{", {"Content-Type": "application/json"})
            with socket.create_connection((host, int(port))) as broken:
                broken.sendall(b"POST /api/v1/apps HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")
            if batch % 500 == 0:
                sequence += 1
                app.heads(1, [1], sequence)
            time.sleep(0.2)
        samples.append(server.memory())
        files = len(os.listdir(f"/proc/{server.process.pid}/fd"))
        print(f"| {minute + 1} | {samples[-1]:.1f} | {files} | {requests:,} | {sequence - 1} |",
              flush=True)
    half = samples[len(samples) // 2:]
    growth = half[-1] - half[0]
    print(f"\nover the second half memory changed by {growth:+.1f} MiB, "
          f"{growth / (len(half) / 60):+.1f} MiB an hour")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("patchd")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--pairs-only", action="store_true", help="without how cost grows")
    parser.add_argument("--growth-only", action="store_true", help="nothing but how cost grows")
    parser.add_argument("--soak", type=int, default=0, metavar="MINUTES", help="only that")
    options = parser.parse_args()
    place = tempfile.mkdtemp(prefix="openpatch-bench-")
    running = []
    try:
        if options.soak:
            return soak(options, place, running)
        if not options.growth_only:
            pairs(options, place, running)
        if not options.pairs_only:
            growth(options, place, running)
    finally:
        for each in running:
            each.stop()
        shutil.rmtree(place, ignore_errors=True)


def pairs(options, place, running):
    server = Patchd(options.patchd, f"{place}/one")
    running.append(server)
    app = Publisher(server)
    app.publish(1, 1)
    nginx = Nginx(f"{place}/nginx", f"{place}/one/apps/{app.key}/tree")
    running.append(nginx)
    ours = f"{server.base}/api/v1/apps/{app.key}/metadata/timestamp.json"
    theirs = f"{nginx.base}/metadata/timestamp.json"
    print("| update checks | rate to nginx's | the same per processor time | p99 to nginx's | "
          "patchd /s, µs of processor each | nginx |")
    print("|---|---|---|---|---|---|")
    for label, conditional in (("304, nothing new", True), ("200, the timestamp", False)):
        rate, work, tail, us, them, cost, their_cost = compare(
            (server, nginx), (ours, theirs), options.pairs, options.seconds, conditional)
        print(f"| {label} | {rate:.2f} | {work:.2f} | {tail:.2f} | {us:,.0f}, {cost:.1f} | "
              f"{them:,.0f}, {their_cost:.1f} |", flush=True)
    running.remove(nginx)
    nginx.stop()
    tell(server, app.key, 1000, 1, 2)
    rate, cost, tail, refused = tell(server, app.key, 1000, 1, 3 * options.seconds)
    print(f"\ntelemetry, batches of 50: {rate:,.0f} events/s by the clock, {cost:.1f} µs of processor "
          f"time each ({2e6 / cost:,.0f}/s on two cores), p99 {tail:.0f} ms, {refused} refused")
    running.remove(server)
    server.stop()


def growth(options, place, running):
    print("\n| channels × builds | known installs | µs of processor per check (304) | µs per event |"
          " insights, ms | device, ms | one more head, ms | MiB |")
    print("|---|---|---|---|---|---|---|---|")
    sizes = [1000, 10_000] if options.quick else [1000, 100_000, 1_000_000]
    for channels in (1, 10) if options.quick else (1, 10, 100):
        for fingerprints in (1, 10) if options.quick else (1, 100):
            folder = f"{place}/{channels}-{fingerprints}"
            server = Patchd(options.patchd, folder)
            running.append(server)
            app = Publisher(server)
            app.publish(channels, fingerprints)
            for installs in sizes:
                server.stop()
                know(folder, app.key, installs, fingerprints)
                running.remove(server)
                server = Patchd(options.patchd, folder)
                running.append(server)
                url = f"{server.base}/api/v1/apps/{app.key}/metadata/timestamp.json"
                etag = tag(url)
                costs = []
                for _ in range(3):
                    before = server.cpu()
                    rate, _ = check_rate(url, options.seconds, etag)
                    costs.append((server.cpu() - before) / (rate * options.seconds) * 1e6)
                check = statistics.median(costs)
                _, cost, _, _ = tell(server, app.key, installs, fingerprints, options.seconds)
                path = f"/api/v1/apps/{app.key}"
                insights = timed(server, f"{path}/insights", app.token)
                device = timed(
                    server, f"{path}/devices/00000000-0000-4000-8000-000000000001", app.token)
                sequence = 2 + sizes.index(installs)
                head = app_on(app, server).heads(1, [1], sequence) * 1000
                print(f"| {channels} × {fingerprints} | {installs:,} | {check:.1f} | "
                      f"{cost:.1f} | {insights:.0f} | {device:.1f} | {head:.0f} | "
                      f"{server.memory():.0f} |", flush=True)
            running.remove(server)
            server.stop()
            shutil.rmtree(folder, ignore_errors=True)


def app_on(app, server):
    app.server = server
    return app


if __name__ == "__main__":
    sys.exit(main())
