# Devices for an application, made of what real programs announce; its functions are the words of live-test.sh.
scenes+=(devices-of-an-application)
short+=(devices-of-an-application)

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
