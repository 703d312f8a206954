# Devices for an application, made of what real programs announce; its functions are the words of live-test.sh.
scenes+=(devices-of-an-application search-by-hand launch-an-app control-webos serve-on-own-host follows-interfaces)
short+=(devices-of-an-application search-by-hand launch-an-app control-webos serve-on-own-host follows-interfaces)

# A media server and a router on one host: two devices with names and capabilities, each lost with its byebye.
devices-of-an-application() {
  needs minidlnad miniupnpd || return
  pair
  minidlna media device 60
  miniupnpd router device 60
  await 5 listens device
  pause 1
  start live control "$binary" discover -i eth0 --devices --duration 10s --mx 1 --format json --pcapng "$work/live.pcapng"
  pause 5
  finish "$media"
  wait "$live"
  check "discover ends with 0" [ $? -eq 0 ]
  check "minidlna is a server that can be browsed" has live.out '"what":"found".*"name":"[^"][^"]*".*"id":"DLNA server".*"ContentDirectory.Browse"'
  check "miniupnpd is a gateway that maps ports" has live.out '"what":"found".*"name":"[^"][^"]*".*"id":"Gateway".*"Gateway.PortMapping"'
  check "one address and two devices" count live.out '"what":"found"' 2
  check "the server is lost with its byebye, and alone" count live.out '"what":"lost"' 1
  check "the summary counts them" has live.out '"managed":{"ever":2,"present":1}'
  act 8 control "$binary" discover -i eth0 --devices --duration 4s --mx 1
  check "the table begins with the names" has act.out '^NAME  *ADDRESS  *FOR  *SERVICES  *CAN'
  check "the gateway is in it" has act.out '10.77.1.10 .* Gateway'
}

# An application searches by hand: a media server is told once, with all fields, and the session ends by itself.
search-by-hand() {
  needs minidlnad || return
  local sample=${binary%/*}/rollcall-phone-sample
  [ -x "$sample" ] || { lacks "there is no rollcall-phone-sample beside the binary"; return; }
  pair
  minidlna media device 60
  await 5 listens device
  pause 1
  act 10 control "$sample" search eth0 urn:schemas-upnp-org:device:MediaServer:1
  check "the session ends in good order" [ $? -eq 0 ]
  check "the server is found, with its location, its name and how long that holds" \
    has act.out '^found uuid:[-0-9a-f]*::urn:schemas-upnp-org:device:MediaServer:1 at http://10.77.1.10:[0-9]*/[^ ]* by .*MiniDLNA.*, holds [0-9]* s$'
  check "it is told once, though it was asked twice" count act.out '^found ' 1
  check "other fields are told as well" has act.out '^  DATE: '
  check "the time of the session is up, and then it stops" has act.out '^timed out$'
  check "with what was found" has act.out '^stopped with 1$'
  act 10 control "$sample" search eth0 urn:schemas-upnp-org:device:Nothing:1
  check "what nobody is, is not found" has act.out '^stopped with 0$'
  ip -n "${control}" link set eth0 down
  act 10 control "$sample" search eth0 ssdp:all
  check "without a network the session aborts" [ $? -eq 1 ]
  check "and says what to do" has act.out '^aborted: .*connect to a network'
}

# A television of a scenario, served on a real interface: an application pairs with it, launches an app, and closes it.
launch-an-app() {
  local sample=${binary%/*}/rollcall-phone-sample
  [ -x "$sample" ] || { lacks "there is no rollcall-phone-sample beside the binary"; return; }
  pair
  start television device "$binary" serve "$here/live/television.yaml" -i eth0
  await 5 listens device
  pause 1
  act 15 control "$sample" launch eth0 YouTube 271828
  check "a wrong number connects nothing" [ $? -eq 1 ]
  check "and the reason is said" has act.out '^not connected: .*the number on the screen'
  act 15 control "$sample" launch eth0 YouTube 314159
  check "the application ends in good order" [ $? -eq 0 ]
  check "the television is found with both services" has act.out '^found Den with .*DIAL'
  check "it shows a number, and is ready when that was typed" has act.out '^Netcast TV wants a pin$'
  check "the app does not run before" has act.out '^YouTube is stopped$'
  check "it is launched on the television" has act.out '^launched YouTube at http://10.77.1.10:[0-9]*/apps/YouTube/run-[0-9]*$'
  check "and runs" has act.out '^YouTube is running$'
  check "its session is joined" has act.out '^joined YouTube$'
  check "and closed" has act.out '^closed$'
  check "then it is gone" has act.out '^gone: .*there no more'
  check "the application disconnects" has act.out '^disconnected$'
  act 15 control bash -c "(sleep 4; echo 7; echo 1) | '$binary' discover -i eth0 --pick --duration 12s --mx 1"
  check "a person picks it by its number" has act.out '^picked Den at 10.77.1.10 with .*DIAL.*, [-0-9a-f]*$'
  check "and is told what is no number of the list" has act.err "found '7': type the number in front of a name"
  finish "$television"
}

# WebSockets of another program on either side: a client of a television that rollcall serves, and a television for an
# application of rollcall's.
control-webos() {
  local sample=${binary%/*}/rollcall-phone-sample
  [ -x "$sample" ] || { lacks "there is no rollcall-phone-sample beside the binary"; return; }
  /usr/bin/python3 -c 'import websockets' 2>/dev/null || { lacks "python3-websockets is not installed"; return; }
  pair
  start television device "$binary" serve "$here/live/webos.yaml" -i eth0
  await 5 listens device
  pause 1
  act 15 control /usr/bin/python3 -B "$here/live/webos-client.py" 10.77.1.10 3000
  check "another program's client ends in good order" [ $? -eq 0 ]
  check "no extension is agreed upon" has act.out '^opened with \[\]$'
  check "before it is let in it may do nothing" has act.out '^error 401 not registered'
  check "the screen asks" has act.out '^response  {"pairingType": "PROMPT"'
  check "and the person agrees" has act.out '^then registered$'
  check "a web app is launched" has act.out '^response  .*"webAppId": "quiz", "sessionId": "run-1"'
  check "and runs" has act.out '^response  .*"state": "CONNECTED"'
  check "a message in pieces is one" has act.out "^closed {'returnValue': True}$"
  check "both sides close" has act.out '^ended with 1000$'
  check "another path is none" has act.out '^elsewhere 404$'
  act 15 control "$sample" web-app eth0 quiz
  check "the same by an application of ours" has act.out '^gone: sessionGone$'
  check "its web app says what it was told" has act.out '^quiz said hello$'
  check "in JSON as well" has act.out '^quiz said {"room":7}$'
  check "whose user was asked" has act.out '^webOS TV wants a prompt$'
  finish "$television"
  start television device "$binary" serve "$here/live/webos-elsewhere.yaml" -i eth0
  start screen device /usr/bin/python3 -B -u "$here/live/webos-server.py" 10.77.1.10 3000
  await 5 listens device
  pause 1
  act 15 control "$sample" web-app eth0 quiz
  check "an application of ours ends in good order with another program's television" [ $? -eq 0 ]
  check "it launches a web app there" has act.out '^launched quiz as s-1$'
  check "joins it" has act.out '^joined quiz, by its id s-1$'
  check "and talks to it" has act.out '^quiz said {"room":7}$'
  check "and closes it" has act.out '^gone: sessionGone$'
  check "the television heard all of it" has screen.out '^request ssap://webapp/closeWebApp quiz$'
  check "and the end" has screen.out '^ended with 1000$'
  finish "$screen"
  finish "$television"
}

# The programs that search are on the host that serves, as on the machine on which an application is written.
serve-on-own-host() {
  local sample=${binary%/*}/rollcall-phone-sample
  [ -x "$sample" ] || { lacks "there is no rollcall-phone-sample beside the binary"; return; }
  pair
  start television device "$binary" serve "$here/live/television.yaml" -i eth0
  await 5 listens device
  # Whatever was announced at the start is over.
  pause 3
  act 15 device "$binary" discover -i eth0 --devices --duration 5s --mx 1
  check "it answers a search of its own host, and serves its description there" has act.out '^Den  *10.77.1.10  .*DIAL'
  act 15 device "$sample" launch eth0 YouTube 314159
  check "an application of its own host uses the device" has act.out '^launched YouTube at http://10.77.1.10:'
  act 15 control "$binary" discover -i eth0 --devices --duration 5s --mx 1
  check "and another host finds it as before" has act.out '^Den  *10.77.1.10  .*DIAL'
  finish "$television"
  act 10 device "$binary" serve "$here/live/television.yaml" -i eth0 --duration 4s
  check "what comes back from the group is not taken for somebody else" has act.out '^0 datagrams came from outside, [1-9]'
  start holder device /usr/bin/python3 -c 'import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 1900))
print("holds", flush=True)
time.sleep(20)'
  await 5 has holder.out '^holds$'
  act 10 device "$binary" serve "$here/live/television.yaml" -i eth0 --duration 2s
  check "where another program holds port 1900 it ends with 2" [ $? -eq 2 ]
  check "having said so at once, and what to do" has act.err 'Address already in use; programs that search by multicast are not heard'
  finish "$holder"
}

# An application on all networks of its host: one that comes while it runs is taken in as soon as it has an address, and what
# was found there is lost with it.
follows-interfaces() {
  local sample=${binary%/*}/rollcall-phone-sample
  [ -x "$sample" ] || { lacks "there is no rollcall-phone-sample beside the binary"; return; }
  # Else an interface has an address as soon as it is up.
  noipv6=1 pair
  start watch control "$sample" watch
  await 5 has watch.out '^watching$'
  pause 2
  check "a radio that is not there is told once" count watch.out '^failed noBluetooth: ' 1
  cable device eth1 control eth1
  address device eth1 10.77.2.10/24
  start television device "$binary" serve "$here/live/television.yaml" -i eth1
  await 5 listens device
  pause 3
  check "where there is no address there is no network" hasnt watch.out '^found'
  address control eth1 10.77.2.20/24
  check "with its first address there is one, and the device on it is found" await 8 has watch.out '^found Den at 10.77.2.10$'
  ip -n "$control" link delete eth1
  check "it is lost with the interface" await 5 has watch.out '^lost Den$'
  finish "$television"
  cable device eth2 control eth2
  address device eth2 10.77.3.10/24
  address control eth2 10.77.3.20/24
  start television device "$binary" serve "$here/live/television.yaml" -i eth2
  check "another interface that comes is taken in as well" await 10 has watch.out '^found Den at 10.77.3.10$'
  finish "$television"
  finish "$watch"
}
