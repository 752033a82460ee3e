"""A client of Keiko in another language, with nothing but the standard library.

It adds a task, is told of it, does it, runs into a conflict, and catches up with what it missed.
Usage: client.py SOCKET
"""

import json
import socket
import sys


class Refused(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code, self.data = error["code"], error["data"]


class Keiko:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8", newline="\n")
        self.last_id = 0
        self.events = []
        self.call("daemon.hello", client_version="python", protocol=1)

    def call(self, method, **params):
        self.last_id += 1
        request = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        self.socket.sendall((json.dumps(request) + "\n").encode())
        while True:
            message = self.receive()
            if message.get("method") == "event":
                self.events.append(message["params"])
            elif "error" in message:
                raise Refused(message["error"])
            else:
                assert message["id"] == self.last_id, message
                return message["result"]

    def receive(self):
        line = self.lines.readline()
        assert line, "the daemon hung up"
        return json.loads(line)

    def event(self):
        while not self.events:
            message = self.receive()
            assert message["method"] == "event", message
            self.events.append(message["params"])
        return self.events.pop(0)


def main(path):
    here, elsewhere = Keiko(path), Keiko(path)
    methods = {method["name"] for method in here.call("rpc.discover")["methods"]}
    assert {"task.add", "event.subscribe", "rpc.discover"} <= methods, methods

    cursor = here.call("event.subscribe", since=0)["cursor"]
    assert cursor == 0

    # Sent twice, done once.
    add = {"title": "交房租", "at": "tomorrow 3pm", "key": "python-1"}
    task = elsewhere.call("task.add", **add)["task"]
    assert not elsewhere.call("task.add", **add)["changed"]
    seen = []
    told = here.event()
    seen.append(told["event"]["event_id"])
    assert told["event"]["task"] == task["number"] and told["event"]["snapshot"]["title"] == "交房租", told
    while told["event"]["to"] != "PENDING":
        told = here.event()
        seen.append(told["event"]["event_id"])

    # Two see the same version; the second to change it is told what it is now.
    here.call("task.update", task=task["number"], version=task["version"], title="pay rent")
    try:
        elsewhere.call("task.update", task=task["number"], version=task["version"], title="pay the rent")
    except Refused as refused:
        assert refused.code == 409 and refused.data["kind"] == "conflict", refused.data
        latest = refused.data["latest"]
        assert latest["title"] == "pay rent", latest
    else:
        raise AssertionError("a stale version was taken")
    elsewhere.call("task.update", task=task["number"], version=latest["version"], title="pay the rent")

    done = elsewhere.call("task.done", task=task["number"])
    assert done["task"]["state"] == "COMPLETED", done
    while told["event"]["to"] != "COMPLETED":
        told = here.event()
        seen.append(told["event"]["event_id"])

    # Who was away asks from its cursor and has what the others were told, in the same order.
    missed, cursor, more = [], 0, True
    while more:
        page = elsewhere.call("event.list", since=cursor, limit=2)
        missed += [event["event_id"] for event in page["events"]]
        cursor, more = page["cursor"], page["more"]
    assert missed == seen and len(set(seen)) == len(seen), (missed, seen)
    assert cursor == told["cursor"]
    print("caught up with", len(missed), "events")


main(sys.argv[1])
