"""What a webOS television says to another program: registers, launches a web app, asks about it and closes it.

webos-client.py ADDRESS PORT: each answer is one line. WebSockets are those of the library websockets, which offers
compression, masks its frames and sends a ping."""
import asyncio
import json
import sys

import websockets


async def main(address, port):
    async with websockets.connect(f"ws://{address}:{port}/", open_timeout=5) as tv:
        print("opened with", tv.extensions, flush=True)

        async def ask(message):
            await tv.send(json.dumps(message))
            answer = json.loads(await asyncio.wait_for(tv.recv(), 5))
            print(answer["type"], answer.get("error", ""), json.dumps(answer["payload"]), flush=True)
            return answer

        def request(number, uri, **payload):
            return {"type": "request", "id": number, "uri": "ssap://" + uri, "payload": payload}

        await ask(request(0, "webapp/launchWebApp", webAppId="quiz"))
        await ask({"type": "register", "id": "r", "payload": {"manifest": {"permissions": ["CONTROL_POWER"]}}})
        print("then", json.loads(await asyncio.wait_for(tv.recv(), 5))["type"], flush=True)
        session = (await ask(request(1, "webapp/launchWebApp", webAppId="quiz")))["payload"]["sessionId"]
        await ask(request(2, "webapp/connectToApp", webAppId="quiz"))
        await (await tv.ping(b"x" * 125))
        # In three pieces.
        whole = json.dumps(request(3, "webapp/closeWebApp", webAppId="quiz", sessionId=session))
        await tv.send([whole[:10], whole[10:30], whole[30:]])
        print("closed", json.loads(await asyncio.wait_for(tv.recv(), 5))["payload"], flush=True)
    print("ended with", tv.close_code, flush=True)
    try:
        await websockets.connect(f"ws://{address}:{port}/other", open_timeout=5)
    except websockets.InvalidStatusCode as error:
        print("elsewhere", error.status_code, flush=True)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
