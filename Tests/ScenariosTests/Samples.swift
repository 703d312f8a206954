/// Scenarios as text, one for each part of the language; together they use every section.
enum Samples {
  static let television = """
    scenario: A TV that leaves in good order is lost at once
    why: |
      Users of the SDK saw TVs that were switched off for minutes.
      The byebye was there.
    tags: [teaches, ssdp]
    bites: engine.byebyeIgnored
    seeds: 1..200
    duration: 2m
    network:
      segments:
        lan: {subnet: 192.168.7.0/24, snooping: true, querier: 125s, ipv6: true}
        guest: {subnet: 10.0.0.0/16}
      link:
        latency: 200us..3ms
        loss: 0.5%
        multicast-loss: {gilbert-elliott: {good-to-bad: 5%, bad-to-good: 30%, loss-in-bad: 90%}}
        reorder: 1/3
        reorder-delay: 1ms..20ms
        bandwidth: 10Mbit/s
        queue: 64KiB
        mtu: 1400
        inbound: {latency: {normal: {mean: 2ms, deviation: 500us}}}
        outbound: {latency: {exponential: {minimum: 1ms, mean: 4ms}}}
    engine:
      interfaces:
        - {segment: lan, address: 192.168.7.50}
        - {segment: guest, up: false, link: {loss: 1%}}
      receive-buffer: {bytes: 64KiB, per-datagram: 50us}
      clock-drift: -50ppm
      mode: strict
      byebye: each-part
      byebye-source: any-address
      location: any
      unsolicited: accept
      tombstone: 2s
      default-lease: 180s
      limits: {entries-total: 1000}
    inhabitants:
      tv:
        kind: root-device
        profile: tv
        max-age: 100s
        appear: 1s..3s
        quirks: [noBlankLine, maxAge(100), "foreignNT(hnap:NetworkCamera)", answersLate(800ms)]
        embedded: [{type: "urn:schemas-upnp-org:device:MediaServer:1", services: ["urn:x:service:a:1"]}]
      bulb: {kind: root-device, profile: light-bridge, count: 10, segment: guest, clock-drift: 100ppm}
      ghost: {kind: root-device, appear: never, address: 192.168.7.99, uuid: 2fac1234-31f8-41b4-a222-08002b34c003}
    timeline:
      - {at: 5s, search: {target: "upnp:rootdevice", mx: 3s, broadcasts: 2, spacing: 500ms}}
      - {at: 6s, id: ask, search: {id: 7, target: "ssdp:all", host: tv, interface: 0}}
      - {at: 7s, stop-search: 7}
      - {at: 8s, hold: tv}
      - {at: 9s, release: tv}
      - {at: 10s, crash: {who: bulb-3, down-for: 2s, keeps-state: false}}
      - {at: 11s, move: {who: tv, to: 192.168.7.77}}
      - {at: 12s, relocate: {who: tv, port: 8080}}
      - {at: 13s, reboot: bulb}
      - {at: 14s, update: tv}
      - {at: 15s, reconfigure: tv}
      - {at: 16s, appear: ghost}
      - {at: 17s, vanish: ghost}
      - {at: 60s, id: bye, leave: tv}
      - {at: 119s, stop: engine}
    faults:
      - {at: 20s, until: 30s, partition: {from: [engine], to: [tv, bulb], both: false}}
      - {at: 21s, until: 22s, interface-down: {who: tv}}
      - {at: 22s, querier-gone: lan}
      - {at: 23s, id: jam, until: 24s, link: {who: engine, direction: inbound, loss: 100%, duplicate: 10%}}
      - {at: 25s, until: 26s, refuse-joins: engine}
      - {at: 25s, until: 26s, refuse-multicast-sends: engine}
    heal: 70s
    converge: 30s
    expect:
      - {id: tv-found, found: tv, within: 0s..8s, times: 1}
      - {lost: tv, cause: byebye, after: {timeline: bye, within: 200ms}}
      - {lost: each, times: 1..3}
      - {changed: tv, what: boot-id, after: {found: tv, within: 1s..60s}, times: 2..}
      - {changed: {any-of: [tv, bulb]}}
      - {found: {each-of: [tv, bulb]}}
      - {never: {lost: any, cause: expired}, within: 0s..50s}
      - {never: {found: "uuid:none"}, after: {mended: jam, within: 3s}}
      - {service: {search: 1, of: tv, target: "upnp:rootdevice"}}
      - {search-ended: {search: 1, services: 10..12, stopped: false}, at: 9.1s}
      - {failed: cannotJoin, after: {fault: f5, within: 1s}}
      - {rejected: any, times: 0..5}
      - {present: {at: 30s, devices: [tv, bulb]}}
      - {present: {at: 30s, count: 11}}
      - {always: {entries-at-most: 1000, devices-at-most: 20}}
      - {converged: true}
      - {distribution: {of: response-delay, from: bulb, search: 1, range: 0s..3s, alpha: 0.1%, minimum-samples: 100}}
      - {share: {found: tv, at-least: 90%}, within: 0s..10s}
    vacuous-ok: [e3, e4]
    sweep:
      network.link.loss: [0%, 10%, 30%]
      timeline[0].search.mx: [1s, 5s]
    budget: {events: 1000000}
    """

  static let crowd = """
    scenario: Strangers of every kind
    bites: tv.noRenewal
    seed: 7
    inhabitants:
      tv: {kind: root-device, profile: tv}
      phone:
        kind: control-point
        target: upnp:rootdevice
        mx: 10s
        every: 5s..10s
        copies: 2
        searches: 3
        oddities: [noMAN, lfOnly]
        host: tv:1900
      echo: {kind: reflector, mode: answer, rate: 50/s, reflects-own: true}
      flood: {kind: flooder, sends: response, rate: 2000/s, for: 5s, devices: 100, to: "engine:50000", profile: camera}
      forger: {kind: byebye-spoofer, victims: [tv], every: 3s}
      liar: {kind: byebye-spoofer, location: "http://192.0.2.1/x", overhears: true, delay: 1ms..2ms}
      eager:
        kind: responder
        delay: 1ms..5ms
        target: ssdp:all
        quirks: [noExt]
        unsolicited:
          - {to: engine, target: "upnp:rootdevice", every: 2s}
      puppet:
        kind: script
        lines:
          - {at: 1s, text: "NOTIFY * HTTP/1.1\\r\\nHOST: 239.255.255.250:1900\\r\\n\\r\\n"}
          - {hex: 00ff80, to: 239.255.255.250:1900, from: 192.168.1.9, source-port: 4000, ttl: 1}
    timeline:
      - {at: 2s, send: {who: puppet, script: 1}}
    """
}
