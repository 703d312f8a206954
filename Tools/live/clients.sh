# Strict control points use what `serve` serves; its functions are the words of live-test.sh.
scenes+=(built-by-async-upnp-client built-by-libupnp service-tables)
short+=(built-by-async-upnp-client)

# Every device of living-room, with the descriptions of its services in strict mode, their control and their events; from
# another host, and from the one that serves.
built-by-async-upnp-client() {
  from_pypi || return
  pair
  route control eth0
  house 90
  local host
  for host in control device; do
    act 60 $host "$pypi/python" -B "$here/live/async-upnp-devices.py" "$([ $host = control ] && echo 10.77.1.20 || echo 10.77.1.10)" \
      GetVolume SetVolume GetStatus
    check "$host: the client ends in good order" [ $? -eq 0 ]
    check "$host: it builds all ten devices" has act.out '^10 devices$'
    check "$host: nothing is wrong" hasnt act.out '^wrong\|^  missing'
    check "$host: each service has its actions and first events" has act.out '^  service urn:schemas-upnp-org:service:AVTransport:1: 13 actions, 1 first values, 1800 s$'
    check "$host: what reads the state is answered" has act.out "^  called GetVolume: {'CurrentVolume': 20}$"
    check "$host: what would change it gets a UPnP error" has act.out '^  called SetVolume: error .*501'
  done
}

built-by-libupnp() {
  ldconfig -p | grep -q libupnp.so.13 || { lacks "libupnp13 is not installed"; return; }
  pair
  route control eth0
  house 60
  act 60 control /usr/bin/python3 -B "$here/live/libupnp-devices.py" eth0 10
  check "the client ends in good order" [ $? -eq 0 ]
  check "it builds all ten devices" has act.out '^10 devices$'
  check "nothing is wrong" hasnt act.out '^wrong'
  check "an action that does not exist is UPnP error 401" has act.out 'Nothing is error 401$'
  check "and that of every service" [ "$(grep -c 'Nothing is error 401$' "$work/act.out")" -eq "$(grep -c '^  service' "$work/act.out")" ]
}

# What our descriptions of services say is what real servers and renderers say of the same services.
service-tables() {
  needs minidlnad miniupnpd gmediarender || return
  pair
  route control eth0
  minidlna media device 60
  miniupnpd router device 60
  start renderer device gmediarender --gstout-audiosink=fakesink --gstout-videosink=fakesink -I eth0 -p 49494 --uuid 00000000-0000-4000-8000-000000007799
  start ours control "$binary" serve "$here/live/services.yaml" -i eth0 --duration 60s
  await 5 has ours.out 'everything'
  pause 2
  local own
  own=$(sed -n 's/^  everything .* \(http:[^ ]*\)$/\1/p' "$work/ours.out")
  act 20 control /usr/bin/python3 -B "$here/live/compare-services.py" "$own" http://10.77.1.10:8200/rootDesc.xml \
    http://10.77.1.10:5000/rootDesc.xml http://10.77.1.10:49494/description.xml
  check "the comparison ends in good order" [ $? -eq 0 ]
  check "ten services are compared" [ "$(grep -c '^service' "$work/act.out")" -ge 10 ]
  # miniupnpd describes this argument under another name than the one in its answers, which is the standard's.
  check "nothing differs but NewReservedPort" [ "$(grep '^differs' "$work/act.out" | grep -vc '^differs AddAnyPortMapping: .*NewReservedPort')" -eq 0 ]
}
