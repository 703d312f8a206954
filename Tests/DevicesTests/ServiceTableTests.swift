import RollcallExpectations
import RollcallWire
import Testing

@testable import RollcallDevices

@Suite("Descriptions of services") struct ServiceTableTests {
  private let table = ServiceTable.standard

  @Test("every line of the table is read")
  func reads() {
    expectEqual(table.faults, [])
    expectEqual(
      table.names,
      [
        "SwitchPower:1", "Dimming:1", "ConnectionManager:1", "ContentDirectory:1", "RenderingControl:1",
        "X_MS_MediaReceiverRegistrar:1", "AVTransport:1", "Layer3Forwarding:1", "WANCommonInterfaceConfig:1",
        "WANIPConnection:1", "WANIPConnection:2", "WANPPPConnection:1", "WANIPv6FirewallControl:1",
        "DeviceProtection:1",
      ])
  }

  @Test("a line that is none is named, and what is around it is read")
  func faults() {
    let lines = [
      "variable A string -", "service A", "service A:x", "service A:1", "variable B", "variable B string",
      "event C ui1 0 0..5",
      "action D in E", "action D at E F", "action D in E C", "other", "service B:1 like C:1", "service B:1 like A:1",
      "service E:1 like", "service E:1 as A:1", "service E:1 A:1", "event", "variable F ui1 0 0..5 x", "service",
    ]
    let table = ServiceTable(lines.joined(separator: "\n"))
    expectEqual(
      table.faults,
      [
        "variable A string -", "service A", "service A:x", "variable B", "variable B string", "action D in E",
        "action D at E F",
        "other", "service B:1 like C:1", "service E:1 like", "service E:1 as A:1", "service E:1 A:1", "event",
        "variable F ui1 0 0..5 x", "service",
      ])
    expectEqual(table.names, ["A:1", "B:1"])
    expectEqual(table.scpd(of: "urn:a:service:B:1"), table.scpd(of: "urn:a:service:A:1"))
    expectEqual(table.scpd(of: "urn:a:service:A:1").variables.map(\.range), [0...5])
  }

  @Test("behind a first value stands a range or a list of words; a line of blanks is none, one of another word a fault")
  func values() {
    let lines = [
      "service A:1", "  ", "variable B ui1 5 5..5", "variable C ui1 0 5..0", "variable D string x x|y",
      "property E string -",
    ]
    let table = ServiceTable(lines.joined(separator: "\n"))
    expectEqual(table.faults, ["property E string -"])
    let variables = table.scpd(of: "urn:a:service:A:1").variables
    expectEqual(variables.map(\.range), [5...5, nil, nil])
    expectEqual(variables.map(\.allowed), [[], ["5..0"], ["x", "y"]])
  }

  /// What UDA asks of every service description (section 2.5).
  private func check(_ scpd: SCPD, _ name: String) {
    #expect(!scpd.variables.isEmpty, "\(name)")
    expectEqual(Set(scpd.variables.map(\.name)).count, scpd.variables.count, "\(name)")
    expectEqual(Set(scpd.actions.map(\.name)).count, scpd.actions.count, "\(name)")
    #expect(!scpd.variables.allSatisfy { !$0.isEvented }, "\(name): its event URL could not be used")
    for variable in scpd.variables {
      let types = ["ui1", "ui2", "ui4", "i4", "int", "boolean", "string", "bin.base64"]
      #expect(types.contains(variable.type), "\(name) \(variable.name)")
      #expect(variable.allowed.isEmpty || variable.type == "string", "\(name) \(variable.name)")
      #expect(variable.allowed.isEmpty || variable.allowed.contains(variable.initial), "\(name) \(variable.name)")
      if let range = variable.range {
        #expect(Int(variable.initial).map(range.contains) ?? false, "\(name) \(variable.name)")
      }
      let isUsed = scpd.actions.contains { $0.arguments.contains { $0.variable == variable.name } }
      #expect(isUsed || variable.isEvented || !variable.name.hasPrefix("A_ARG_TYPE_"), "\(name) \(variable.name)")
    }
    for action in scpd.actions {
      expectEqual(Set(action.arguments.map(\.name)).count, action.arguments.count, "\(name) \(action.name)")
      let directions = action.arguments.map(\.isOut)
      expectEqual(directions, directions.filter { !$0 } + directions.filter { $0 }, "\(name) \(action.name)")
      for argument in action.arguments {
        #expect(scpd.variable(argument.variable) != nil, "\(name) \(action.name) \(argument.name)")
      }
    }
  }

  @Test("each service is one that UDA allows: arguments have variables, first values are allowed, something is evented")
  func valid() {
    for name in table.names { check(table.scpd(of: "urn:schemas-upnp-org:service:" + name), name) }
    check(table.scpd(of: "urn:rollcall-example:service:Nothing:1"), "unknown")
  }

  @Test("the highest version that is not above the asked one is served; a type that nobody knows has no actions")
  func versions() {
    func count(_ type: String) -> Int { table.scpd(of: "urn:schemas-upnp-org:service:" + type).actions.count }
    expectEqual([count("WANIPConnection:1"), count("WANIPConnection:2"), count("WANIPConnection:3")], [11, 14, 14])
    expectEqual(count("RenderingControl:3"), count("RenderingControl:1"))
    expectEqual([count("SwitchPower:0"), count("Nothing:1")], [0, 0])
    expectEqual(table.scpd(of: "x").actions, [])
    // A version that is no number is the first one; of two with one version the one above is served.
    expectEqual([count("WANIPConnection:x"), count("WANIPConnection:")], [11, 11])
    let lines = [
      "service A:1", "event B string -", "service A:1", "event C string -", "service A:2", "event D string -",
    ]
    let twice = ServiceTable(lines.joined(separator: "\n"))
    expectEqual(["A:1", "A:2"].map { twice.scpd(of: "urn:a:service:\($0)").variables.map(\.name) }, [["B"], ["D"]])
    expectEqual(twice.scpd(of: "urn:a:service:A:1:1").variables.map(\.name), ["Status"])
  }

  @Test("the document has actions, arguments and variables as UDA has them")
  func document() {
    var (target, level) = (SCPD.Variable("Target", type: "string"), SCPD.Variable("Level", type: "ui1"))
    (target.initial, target.allowed) = ("on", ["on", "off"])
    (level.isEvented, level.range) = (true, 0...100)
    let scpd = SCPD(
      actions: [.init("Set", [.init("New", isOut: false, variable: "Target")]), .init("Reset")],
      variables: [target, level])
    expectEqual(
      String(decoding: scpd.bytes(major: 1, minor: 1, configID: 7), as: UTF8.self),
      """
      <?xml version="1.0" encoding="utf-8"?>
      <scpd xmlns="urn:schemas-upnp-org:service-1-0" configId="7">
        <specVersion>
          <major>1</major>
          <minor>1</minor>
        </specVersion>
        <actionList>
          <action>
            <name>Set</name>
            <argumentList>
              <argument>
                <name>New</name>
                <direction>in</direction>
                <relatedStateVariable>Target</relatedStateVariable>
              </argument>
            </argumentList>
          </action>
          <action>
            <name>Reset</name>
          </action>
        </actionList>
        <serviceStateTable>
          <stateVariable sendEvents="no">
            <name>Target</name>
            <dataType>string</dataType>
            <defaultValue>on</defaultValue>
            <allowedValueList>
              <allowedValue>on</allowedValue>
              <allowedValue>off</allowedValue>
            </allowedValueList>
          </stateVariable>
          <stateVariable sendEvents="yes">
            <name>Level</name>
            <dataType>ui1</dataType>
            <allowedValueRange>
              <minimum>0</minimum>
              <maximum>100</maximum>
              <step>1</step>
            </allowedValueRange>
          </stateVariable>
        </serviceStateTable>
      </scpd>

      """)
    #expect(!String(decoding: scpd.bytes(major: 1, minor: 0, configID: nil), as: UTF8.self).contains("configId"))
    let empty = SCPD(actions: [], variables: [level])
    #expect(!String(decoding: empty.bytes(major: 1, minor: 0, configID: nil), as: UTF8.self).contains("actionList"))
  }
}

@Suite("Control of a service") struct ServiceControlTests {
  private static let type = "urn:schemas-upnp-org:service:RenderingControl:1"

  /// The status with the error code, or the results.
  private static func ask(
    _ action: String, _ arguments: [SOAPCall.Argument], field: String? = nil, type: String = type
  ) -> String {
    let call = SOAPCall(serviceType: type, action: action, arguments: arguments)
    var head = HTTPRequestHead(method: "POST", path: "/", minorVersion: 1, hasHost: true, byteCount: 1)
    head.fields = [.init("soapaction", field ?? call.actionField)]
    let scpd = ServiceTable.standard.scpd(of: ServiceControlTests.type)
    let answer = ServiceControl.answer(head, body: call.bytes, type: ServiceControlTests.type, scpd)
    let text = String(decoding: answer.body, as: UTF8.self)
    if let code = text.firstRange(of: "<errorCode>") { return "\(answer.status) \(text[code.upperBound...].prefix(3))" }
    let results = SOAPCall.read(answer.body)?.arguments.map { "\($0.name)=\($0.value)" } ?? []
    return ([String(answer.status)] + results).joined(separator: " ")
  }

  @Test("what only reads the state is answered with first values")
  func reads() {
    let instance = SOAPCall.Argument("InstanceID", "0")
    expectEqual(ServiceControlTests.ask("GetVolume", [instance, .init("Channel", "Master")]), "200 CurrentVolume=20")
    expectEqual(ServiceControlTests.ask("ListPresets", [instance]), "200 CurrentPresetNameList=FactoryDefaults")
  }

  @Test("anything else is a UPnP error: 401, 402 or 501")
  func errors() {
    let (instance, channel) = (SOAPCall.Argument("InstanceID", "0"), SOAPCall.Argument("Channel", "Master"))
    let ask = ServiceControlTests.ask
    expectEqual(ask("Explode", [], nil, ServiceControlTests.type), "500 401")
    expectEqual(ask("ListPresets", [instance], "\"other#ListPresets\"", ServiceControlTests.type), "500 401")
    expectEqual(ask("ListPresets", [instance], nil, "urn:schemas-upnp-org:service:AVTransport:1"), "500 401")
    expectEqual(ask("ListPresets", [], nil, ServiceControlTests.type), "500 402")
    expectEqual(ask("ListPresets", [instance, channel], nil, ServiceControlTests.type), "500 402")
    expectEqual(ask("ListPresets", [instance, instance], nil, ServiceControlTests.type), "500 402")
    expectEqual(ask("ListPresets", [.init("InstanceID", "4294967296")], nil, ServiceControlTests.type), "500 402")
    expectEqual(ask("ListPresets", [.init("InstanceID", "-1")], nil, ServiceControlTests.type), "500 402")
    expectEqual(ask("ListPresets", [.init("InstanceID", "+1")], nil, ServiceControlTests.type), "500 402")
    expectEqual(ask("ListPresets", [.init("InstanceID", "")], nil, ServiceControlTests.type), "500 402")
    expectEqual(
      ask("ListPresets", [.init("InstanceID", "4294967295")], nil, ServiceControlTests.type),
      "200 CurrentPresetNameList=FactoryDefaults")
    let volume = SOAPCall.Argument("DesiredVolume", "65535")
    expectEqual(ask("SetVolume", [channel, volume, instance], nil, ServiceControlTests.type), "500 501")
    expectEqual(
      ask("SetVolume", [instance, channel, .init("DesiredVolume", "65536")], nil, ServiceControlTests.type), "500 402")
    expectEqual(
      ask("SetMute", [instance, channel, .init("DesiredMute", "maybe")], nil, ServiceControlTests.type), "500 402")
    expectEqual(
      ask("SetMute", [instance, channel, .init("DesiredMute", "yes")], nil, ServiceControlTests.type), "500 501")
  }

  @Test("an argument has to be a value of its type")
  func types() {
    let table: [(type: String, good: [String], bad: [String])] = [
      ("ui1", ["0", "255"], ["256", "-1", "+1", "", "x"]), ("ui2", ["0", "65535"], ["65536", "-1", "+1", ""]),
      ("ui4", ["0", "4294967295"], ["4294967296", "-1", "+1", ""]),
      ("i4", ["2147483647", "-2147483648"], ["2147483648", "-2147483649", "", "x"]),
      ("int", ["2147483647", "-2147483648"], ["2147483648", "-2147483649", "", "x"]),
      ("boolean", ["0", "1", "true", "false", "yes", "no"], ["2", "", "TRUE", "maybe"]),
      ("string", ["", "x"], []),
    ]
    for row in table {
      let scpd = SCPD(
        actions: [.init("Set", [.init("New", isOut: false, variable: "X")])],
        variables: [SCPD.Variable("X", type: row.type)])
      for value in row.good + row.bad {
        let call = SOAPCall(
          serviceType: ServiceControlTests.type, action: "Set", arguments: [SOAPCall.Argument("New", value)])
        var head = HTTPRequestHead(method: "POST", path: "/", minorVersion: 1, hasHost: true, byteCount: 1)
        head.fields = [.init("soapaction", call.actionField)]
        let answer = ServiceControl.answer(head, body: call.bytes, type: ServiceControlTests.type, scpd)
        let code = row.bad.contains(value) ? "<errorCode>402<" : "<errorCode>501<"
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 500 && text.contains(code), "\(row.type) '\(value)': \(text)")
      }
    }
  }

  @Test("of two fields SOAPACTION the first one counts")
  func twoFields() {
    let call = SOAPCall(
      serviceType: ServiceControlTests.type, action: "ListPresets",
      arguments: [SOAPCall.Argument("InstanceID", "0")])
    let scpd = ServiceTable.standard.scpd(of: ServiceControlTests.type)
    for (fields, status) in [([call.actionField, "x"], 200), (["x", call.actionField], 500)] {
      var head = HTTPRequestHead(method: "POST", path: "/", minorVersion: 1, hasHost: true, byteCount: 1)
      head.fields = fields.map { HTTPResponseHead.Field("soapaction", $0) }
      let answer = ServiceControl.answer(head, body: call.bytes, type: ServiceControlTests.type, scpd)
      expectEqual(answer.status, status)
    }
  }

  @Test("a body that is no call is 400")
  func noCall() {
    let head = HTTPRequestHead(method: "POST", path: "/", minorVersion: 1, hasHost: true, byteCount: 1)
    let scpd = ServiceTable.standard.scpd(of: ServiceControlTests.type)
    expectEqual(ServiceControl.answer(head, body: [1], type: ServiceControlTests.type, scpd), .refusal(400))
  }
}
