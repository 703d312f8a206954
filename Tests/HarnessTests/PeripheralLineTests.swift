import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import Testing

/// What became of a peripheral, as a JSON line and read back.
@Suite struct PeripheralLineTests {
  private static let short = BluetoothUUID(short: 0x2A19)
  private static let long = BluetoothUUID(high: 0xF001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)

  /// Every event, with the bounds of what stands in it.
  private static let events: [PeripheralReport.Event] = {
    var events: [PeripheralReport.Event] = [
      .connected, .readyToWrite, .services([]), .includedServices(service: 1, []), .characteristics(service: 1, []),
      .descriptors(characteristic: 1, []), .discovered(services: 0, characteristics: 1, descriptors: 4_096),
      .written(handle: 1), .written(handle: .max), .notifying(handle: 1, true), .notifying(handle: .max, false),
      .servicesChanged(1...0xFFFF), .servicesChanged(7...7),
    ]
    for end in LinkEnd.allCases { events += [.connectionFailed(end), .disconnected(end)] }
    let services = [GATTService(short, 1...1), GATTService(long, 2...0xFFFF, isPrimary: false)]
    events += [.services(services), .services(services.reversed()), .includedServices(service: .max, services)]
    events += [
      .characteristics(service: 2, [GATTCharacteristic(short, 3, []), GATTCharacteristic(long, .max, .extended)]),
      .characteristics(service: 2, [GATTCharacteristic(short, 3, .init(rawValue: .max))]),
      .descriptors(characteristic: 2, [GATTDescriptor(.clientConfiguration, 3), GATTDescriptor(long, .max)]),
    ]
    for cause in [PeripheralReport.ValueCause.read, .notification, .indication] {
      for uuid in [nil, short, long] {
        for bytes in [[], [0], Array(0...255)] as [[UInt8]] { events.append(.value(handle: 3, uuid, bytes, cause)) }
      }
    }
    events += [nil, .min, -60, 0, 20, 126].map { .strength($0) }
    for request in GATTFailure.Request.allCases {
      for reason in GATTFailure.Reason.allCases {
        for attribute in [nil, .handle(.max), .characteristic(short), .characteristic(long)] as [GATTAttribute?] {
          for error in [nil, 0, .max] as [UInt8?] {
            events.append(.failed(GATTFailure(request, reason, attribute, error: error)))
          }
        }
      }
    }
    return events
  }()

  @Test func `every event reads back as it was written`() throws {
    var lines: Set<String> = []
    for event in PeripheralLineTests.events {
      for device in ["ble:c0:ff:ee:00:00:01/random", "", "a \"b\" ü\n"] {
        for frame in [nil, 7] {
          let report = Report.peripheral(PeripheralReport(device, event))
          let line = ReportLine.json(report, time: "12.500000000", frame: frame)
          #expect(lines.insert(line).inserted, "twice: \(line)")
          let read = try #require(WrittenReport(line: line), "\(line)")
          expectEqual(read, WrittenReport(report, time: Instant(nanoseconds: 12_500_000_000), place: frame))
          expectEqual(read.device, device)
        }
      }
    }
  }

  @Test func `a line says what people would look for`() {
    func object(_ event: PeripheralReport.Event) -> String {
      ReportLine.object(.peripheral(PeripheralReport("ble:x", event)))
    }
    let before = #"{"layer":"bluetooth","event":"peripheral","device":"ble:x","peripheral":"#
    let wanted: [(PeripheralReport.Event, String)] = [
      (.connected, #"{"what":"connected"}}"#),
      (.disconnected(.timedOut), #"{"what":"disconnected","cause":"timedOut"}}"#),
      (
        .value(handle: 3, PeripheralLineTests.short, [10, 255], .notification),
        #"{"what":"value","handle":3,"uuid":"2A19","cause":"notification","value":"0aff"}}"#
      ),
      (.value(handle: 3, nil, [], .read), #"{"what":"value","handle":3,"uuid":null,"cause":"read","value":""}}"#),
      (.strength(-60), #"{"what":"strength","strength":-60}}"#),
      (.strength(nil), #"{"what":"strength","strength":null}}"#),
      (.servicesChanged(1...9), #"{"what":"servicesChanged","handle":1,"last":9}}"#),
      (.notifying(handle: 3, true), #"{"what":"notifying","handle":3,"isOn":true}}"#),
      (
        .discovered(services: 1, characteristics: 2, descriptors: 3),
        #"{"what":"discovered","services":1,"characteristics":2,"descriptors":3}}"#
      ),
      (
        .failed(GATTFailure(.read, .refused, .characteristic(PeripheralLineTests.short), error: 2)),
        #"{"what":"requestFailed","request":"read","cause":"refused","attribute":"2A19","error":2}}"#
      ),
    ]
    for (event, text) in wanted { expectEqual(object(event), before + text) }
  }

  // MARK: - Bad lines

  private func read(_ peripheral: String, device: String? = "d") -> PeripheralReport.Event? {
    let device = device.map { #","device":"\#($0)""# } ?? ""
    let line =
      #"{"schema":"rollcall/1","kind":"report","time":"1.000000000","layer":"bluetooth","event":"peripheral""#
      + device + peripheral + "}"
    guard case .peripheral(let report) = WrittenReport(line: line)?.report else { return nil }
    return report.event
  }

  @Test func `a line without a device, without an event or with an unknown one is none`() {
    expectEqual(read(#","peripheral":{"what":"connected"}"#), .connected)
    expectEqual(read(#","peripheral":{"what":"connected","cause":"asked"}"#), .connected)
    expectEqual(read(#","peripheral":{"what":"connected"}"#, device: nil), nil)
    for part in [
      "", #","peripheral":{}"#, #","peripheral":null"#, #","peripheral":"connected""#, #","peripheral":{"what":"met"}"#,
      #","peripheral":{"what":""}"#, #","peripheral":{"what":7}"#,
    ] {
      expectEqual(read(part), nil, "\(part)")
    }
  }

  @Test func `fields that are missing, or that mean nothing, make a line that is none`() {
    expectEqual(
      read(#","peripheral":{"what":"services","attributes":[{"uuid":"180F","handle":1,"last":2}]}"#),
      .services([GATTService(BluetoothUUID(short: 0x180F), 1...2)]))
    for part in [
      #""what":"connectionFailed""#, #""what":"disconnected","cause":"bored""#, #""what":"disconnected","cause":"""#,
      #""what":"services","attributes":[{"uuid":"180F","handle":1}]"#,
      #""what":"services","attributes":[{"uuid":"180F","handle":3,"last":2}]"#,
      #""what":"services","attributes":[{"uuid":"180","handle":1,"last":2}]"#,
      #""what":"services","attributes":[{"uuid":"180F","handle":65536,"last":2}]"#,
      #""what":"services","attributes":[{"uuid":"180F","handle":1,"last":2,"properties":3}]"#,
      #""what":"includedServices""#, #""what":"includedServices","attributes":[{"uuid":"180F","handle":1,"last":2}]"#,
      #""what":"characteristics""#, #""what":"characteristics","handle":-1"#,
      #""what":"characteristics","handle":1,"attributes":[{"uuid":"2A19","handle":3}]"#,
      #""what":"characteristics","handle":1,"attributes":[{"uuid":"2A19","handle":3,"properties":256}]"#,
      #""what":"descriptors""#,
      #""what":"descriptors","handle":1,"attributes":[{"uuid":"2902","handle":3,"properties":1}]"#,
      #""what":"descriptors","handle":1,"attributes":[{"handle":3}]"#,
    ] {
      expectEqual(read(#","peripheral":{\#(part)}"#), nil, "\(part)")
    }
  }

  @Test func `values, strengths and failures that cannot be are none`() {
    let good = #""what":"value","handle":3,"uuid":"2A19","cause":"read","value":"0AfF""#
    expectEqual(read(#","peripheral":{\#(good)}"#), .value(handle: 3, PeripheralLineTests.short, [10, 255], .read))
    expectEqual(
      read(#","peripheral":{"what":"requestFailed","request":"read","cause":"tooMany"}"#),
      .failed(GATTFailure(.read, .tooMany)))
    for part in [
      #""what":"value","uuid":"2A19","cause":"read","value":"0a""#,
      #""what":"value","handle":3,"uuid":"2A19","value":"0a""#,
      #""what":"value","handle":3,"uuid":"2A19","cause":"guess","value":"0a""#,
      #""what":"value","handle":3,"uuid":"2A19","cause":"read""#,
      #""what":"value","handle":3,"uuid":"2A19","cause":"read","value":"0a1""#,
      #""what":"value","handle":3,"uuid":"2A19","cause":"read","value":"+1""#,
      #""what":"value","handle":3,"uuid":"","cause":"read","value":"0a""#,
      #""what":"value","handle":3,"uuid":"2A1","cause":"read","value":"0a""#,
      #""what":"strength","strength":127"#, #""what":"strength","strength":128"#, #""what":"strength","strength":"?""#,
      #""what":"servicesChanged","handle":9,"last":8"#,
      #""what":"requestFailed","cause":"refused""#, #""what":"requestFailed","request":"read""#,
      #""what":"requestFailed","request":"sing","cause":"refused""#,
      #""what":"requestFailed","request":"read","cause":"bored""#,
      #""what":"requestFailed","request":"read","cause":"refused","attribute":"2A1""#,
      ##""what":"requestFailed","request":"read","cause":"refused","attribute":"#65536""##,
      #""what":"requestFailed","request":"read","cause":"refused","error":256"#,
    ] {
      expectEqual(read(#","peripheral":{\#(part)}"#), nil, "\(part)")
    }
  }
}
