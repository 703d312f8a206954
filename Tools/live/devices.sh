# Devices for an application, made of what real programs announce; its functions are the words of live-test.sh.
scenes+=(devices-of-an-application search-by-hand)
short+=(devices-of-an-application search-by-hand)

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
  check "minidlna is a server that can be browsed" has live.out '"what":"found".*"name":"[^"]*".*"id":"DLNA server".*"ContentDirectory.Browse"'
  check "miniupnpd is a gateway that maps ports" has live.out '"what":"found".*"name":"[^"]*".*"id":"Gateway".*"Gateway.PortMapping"'
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
