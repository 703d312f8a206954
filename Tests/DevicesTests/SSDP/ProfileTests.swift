import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Profiles") struct ProfileTests {
  func sent(_ profile: Profile, for interval: Interval) -> [Bench<RootDevice>.Sent] {
    var bench = Bench(RootDevice(profile.blueprint(), seed: Seed(4), name: "it"))
    bench.receive(up(0, "192.168.1.20"))
    bench.act(.appear)
    bench.run(for: interval)
    return bench.sent
  }

  @Test("announce sets that fit into a datagram and that the lenient reader takes", arguments: Profile.allCases)
  func readable(_ profile: Profile) {
    let store = PayloadStore()
    let messages = sent(profile, for: .seconds(30))
    #expect(messages.count >= 3)
    for message in messages {
      #expect(message.bytes.count <= 512)
      let payload = store.store(message.bytes)
      defer { store.release(payload) }
      guard case .message(let read) = SSDPReader.reading(of: payload, in: store, mode: .lenient) else {
        Issue.record("\(profile): \(message.text)")
        continue
      }
      expectEqual(read.check(.lenient), nil)
    }
    #expect(!profile.explanation.isEmpty)
  }

  @Test("the lamp bridge doubles its messages 51 ms apart and renews after 51 to 54 s of its 100")
  func lightBridge() {
    let messages = sent(.lightBridge, for: .seconds(600))
    let types = ["upnp:rootdevice", "uuid", "urn:schemas-upnp-org:device:basic:1"].flatMap { [$0, $0] }
    let targets = messages.prefix(6).map { $0.field("NT")! }
    expectEqual(targets.map { $0.hasPrefix("uuid:") ? "uuid" : $0 }, types)
    expectEqual(messages.prefix(6).map { $0.field("USN")!.contains("::") }, [true, true, false, false, false, false])
    expectEqual(
      messages[0].lines.map { String($0.prefix { $0 != ":" && $0 != " " }) },
      [
        "NOTIFY", "HOST", "CACHE-CONTROL", "LOCATION", "SERVER", "NTS", "bridgeid", "NT", "USN", "", "",
      ])
    let starts = stride(from: 0, to: messages.count, by: 6).map { messages[$0].at }
    let gaps = zip(starts.dropFirst(), starts).map { ($0 - $1).nanoseconds / 1_000_000_000 }
    #expect(gaps.count >= 10 && gaps.allSatisfy { (51...54).contains($0) })
  }

  @Test("the router announces its tree of three once, the bare UUID twice")
  func router() {
    let messages = sent(.router, for: .seconds(20))
    // 3 + 2 · 2 + 4, and one more.
    expectEqual(messages.count, 12)
    expectEqual(Set(messages.map { $0.field("USN")!.prefix(41) }).count, 3)
  }

  @Test("the stick is found by both of its targets")
  func dialStick() {
    var bench = Bench(RootDevice(Profile.dialStick.blueprint(), seed: Seed(4), name: "it"))
    bench.receive(up(0, "192.168.1.20"))
    bench.act(.appear)
    bench.run(for: .seconds(5))
    bench.sent = []
    bench.hear(search("roku:ecp"))
    bench.hear(search("urn:dial-multiscreen-org:service:dial:1"))
    bench.run(for: .seconds(5))
    expectEqual(bench.sent.map(\.summary).sorted(), ["200 roku:ecp", "200 urn:dial-multiscreen-org:service:dial:1"])
  }

  @Test("answer with their fields in their order: the television has DATE behind USN, the stick has none")
  func answers() {
    func lines(_ profile: Profile) -> [String] {
      let blueprint = profile.blueprint()
      let fill = MessageFill(
        uuid: rootUUID, uuidStyle: .standard, host: IPAddress(192, 168, 1, 20), isV6: false,
        port: blueprint.description.port, alternatePort: 81, bootID: 7, nextBootID: 8, configID: 9, version: 0,
        clockSeconds: 1_704_067_200)
      let text = String(decoding: blueprint.bytes(.response, advert: 0, fill), as: UTF8.self)
      return text.split(separator: "\r\n").map(String.init)
    }
    let usn = "USN: uuid:\(rootUUID)::upnp:rootdevice"
    expectEqual(
      lines(.tv),
      [
        "HTTP/1.1 200 OK", "CACHE-CONTROL: max-age=1800", "LOCATION: http://192.168.1.20:7676/smp_18_",
        "SERVER: Vendor UPnP/1.0 Vendor-TV-SDK/1.0", usn, "DATE: Mon, 01 Jan 2024 00:00:00 GMT", "EXT:",
        "ST: upnp:rootdevice",
      ])
    expectEqual(
      lines(.dialStick),
      [
        "HTTP/1.1 200 OK", "CACHE-CONTROL: max-age=3600", "EXT:", "LOCATION: http://192.168.1.20:8060/dial/dd.xml",
        "SERVER: Stick/9.4 UPnP/1.0 Stick/9.4", "ST: upnp:rootdevice", usn,
      ])
  }

  @Test("have the model in their documents that their product names")
  func models() {
    let models = [Profile.basic, .speaker, .mediaServer].map { profile in
      RootDevice(profile.blueprint(), seed: Seed(4), name: "it").document().root.modelName
    }
    expectEqual(models, ["Rollcall/1.0", "Vendor/70.3 (ZP120)", "MiniMedia/1.3"])
  }

  @Test("have a version of UDA and times of their own")
  func timings() {
    func timing(_ change: (inout DeviceTiming) -> Void) -> DeviceTiming {
      var timing = DeviceTiming()
      change(&timing)
      return timing
    }
    let usual = DeviceTiming()
    let tv = timing {
      $0.messageSpacing = .milliseconds(20) ... .milliseconds(21)
      $0.setGap = .seconds(10) ... .milliseconds(10_050)
      $0.renewalPermille = 430...440
    }
    let bridge = timing {
      $0.messageSpacing = .milliseconds(51) ... .milliseconds(52)
      ($0.repeats, $0.renewalRepeats) = (1, 1)
    }
    let router = timing {
      $0.messageSpacing = .microseconds(200) ... .microseconds(300)
      ($0.repeats, $0.renewalRepeats) = (1, 1)
    }
    let computer = timing {
      $0.messageSpacing = .milliseconds(65) ... .milliseconds(85)
      $0.setGap = .milliseconds(2_550) ... .milliseconds(2_650)
      $0.renewalPermille = 490...500
      ($0.repeats, $0.renewalRepeats) = (3, 3)
    }
    let plug = timing { $0.messageSpacing = .milliseconds(4) ... .milliseconds(6) }
    let camera = timing {
      $0.setGap = .seconds(1) ... .milliseconds(1_010)
      ($0.repeats, $0.renewalRepeats) = (3, 3)
    }
    let table: [(profile: Profile, uda: UDAVersion, timing: DeviceTiming)] = [
      (.basic, .uda20, usual), (.tv, .uda10, tv), (.speaker, .uda11, usual), (.lightBridge, .uda10, bridge),
      (.router, .uda10, router), (.dialStick, .uda10, usual), (.mediaServer, .uda10, usual),
      (.windowsHost, .uda10, computer), (.smartPlug, .uda10, plug), (.camera, .uda10, camera),
    ]
    expectEqual(table.map(\.profile), Profile.allCases)
    for row in table {
      expectEqual(row.profile.description.uda, row.uda, "\(row.profile)")
      expectEqual(row.profile.description.timing, row.timing, "\(row.profile)")
    }
  }

  @Test("devices of one kind share everything but their identity and their luck")
  func shared() {
    let blueprint = Profile.speaker.blueprint()
    let devices = (0..<100).map { RootDevice(blueprint, seed: Seed(1), name: "speaker-\($0)") }
    expectEqual(Set(devices.map(\.uuid)).count, 100)
    #expect(devices.allSatisfy { $0.blueprint === blueprint })
    expectEqual(DeviceUUID("\(devices[0].uuid)"), devices[0].uuid)
    expectEqual(DeviceUUID("not a uuid"), nil)
  }
}
