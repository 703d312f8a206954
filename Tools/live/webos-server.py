"""A webOS television by the library websockets: lets everybody in, has one web app, and says what it was asked.

webos-server.py ADDRESS PORT: ends by itself after a minute."""
import asyncio
import json
import sys

import websockets


async def serve(client):
    running = None
    async for text in client:
        message = json.loads(text)
        payload = message.get("payload", {})
        if not isinstance(payload, dict):
            payload = {}
        uri = message.get("uri", "")
        print(message["type"], uri, payload.get("webAppId", ""), flush=True)
        if message["type"] == "register":
            await client.send(json.dumps({"type": "response", "id": message["id"], "payload": {"pairingType": "PROMPT"}}))
            await client.ping(b"are you there")
            kind, answer = "registered", {"client-key": "0123456789abcdef", "other": [1.5, None, {"a": "\u00e9\U0001f600"}]}
        elif uri.endswith("launchWebApp"):
            running = "s-1"
            kind, answer = "response", {"returnValue": True, "sessionId": running}
        elif uri.endswith("connectToApp"):
            state = "CONNECTED" if running and payload.get("sessionId", running) == running else "WAITING_FOR_APP"
            kind, answer = "response", {"returnValue": True, "state": state, "sessionId": running, "appId": "host-quiz"}
        elif message["type"] == "p2p":
            # The web app: what it is told it says to the one who told it.
            await client.send(json.dumps({"type": "p2p", "from": message["to"], "payload": message["payload"]}))
            continue
        elif uri.endswith("closeWebApp"):
            running = None
            kind, answer = "response", {"returnValue": True}
        else:
            kind, answer = "error", {}
        whole = json.dumps({"type": kind, "id": message["id"], "payload": answer})
        # In two pieces.
        await client.send([whole[:5], whole[5:]])
    print("ended with", client.close_code, flush=True)


async def main(address, port):
    async with websockets.serve(serve, address, port):
        await asyncio.sleep(60)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
