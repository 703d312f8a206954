import RollcallDevices
import RollcallPrimitives
import RollcallWire

extension RootDeviceSection {
  private static let type = Form<String>.line("a type", example: "urn:schemas-upnp-org:device:Basic:1")

  static let fields: [Field<RootDeviceSection>] = [
    .key(
      "profile", \.profile, .profile, default: RootDeviceSection().profile,
      "What is not said is as this model "
        + "has it."),
    .key("quirks", \.quirks, .list(of: .quirk, countMaximum: 64), default: [], "Its bad habits, in order."),
    .optional("device-type", \.deviceType, type, "The type of the root device."),
    .optional("services", \.services, .list(of: type, countMaximum: 64), "The types of its services."),
    .optional("embedded", \.embedded, .list(of: .embedded, countMaximum: 32), "Its embedded devices."),
    .optional("uda", \.uda, .uda, "The version of UDA that it claims."),
    .optional(
      "server", \.server, .line("a SERVER value", example: "Linux/6.6 UPnP/2.0 TV/1.0"),
      "SERVER, as it goes on the wire."),
    .optional(
      "friendly-name", \.friendlyName, .text("a name", countMaximum: 63),
      "What people call it, as its description says; made of its UUID by default."),
    .optional(
      "manufacturer", \.manufacturer, .text("a name", countMaximum: 63), "Who made it, as its description says."),
    .optional("model", \.model, .text("a name", countMaximum: 31), "Its model, as its description says."),
    .optional(
      "apps", \.apps, .list(of: .text("the name of an app", countMaximum: 64), countMaximum: 64),
      "The apps that it can launch: it has a server of DIAL."),
    .optional(
      "pairing-key", \.pairingKey, .line("a key", example: "'314159'"),
      "What it shows for the user to type, as a Netcast television does; by default it pairs with nobody."),
    .optional("webos", \.webOS, .webOS, "It is controlled over WebSockets, as a webOS television is."),
    .optional("uuid", \.uuid, .uuid, "Its UUID; made of its name by default."),
    .optional("uuid-style", \.uuidStyle, .uuidStyle, "How it prints its UUID."),
    .optional("max-age", \.maxAge, .seconds(0...2_147_483_647), "The lease that it asks for."),
    .optional("boot-id", \.bootID, .number32, "BOOTID of the first start."),
    .optional("config-id", \.configID, .number32, "CONFIGID of the first description."),
    .optional("port", \.port, .port, "The TCP port of its description."),
    .optional("path", \.path, .line("a path", example: "/description.xml"), "The path of its description."),
    .optional("secure-port", \.securePort, .port, "Where the description is served over TLS as well."),
    .optional("searchport", \.searchPort, .port, "Where it hears unicast searches, if not on 1900."),
    .optional("notify-port", \.notifyPort, .port, "The port that its NOTIFY messages come from."),
    .optional("ttl", \.ttl, .integer(0...255), "TTL of its multicast."),
    .optional("repeats", \.repeats, .integer(0...100), "How often it sends the whole set at a start."),
    .optional("renewal-repeats", \.renewalRepeats, .integer(0...100), "How often it sends the whole set at a renewal."),
    .optional("byebye-repeats", \.byebyeRepeats, .integer(0...100), "How often it sends its byebye set."),
    .optional("start-jitter", \.startJitter, .durations, "How long it waits before its first set."),
    .optional("set-gap", \.setGap, .durations, "From the end of a set to its repetition."),
    .optional("message-spacing", \.messageSpacing, .durations, "From one message of a set to the next."),
    .optional("renewal", \.renewal, .durations, "From one announcement to the next, whatever max-age says."),
  ]
}

extension Form<WebOSPlan> {
  private static let plain = WebOSPlan()

  fileprivate static let webOS = Form.record(
    plain,
    [
      .key(
        "answers", \.answer, .word("an answer"), default: plain.answer,
        "What the person in front of it does when its screen asks whether an application may control it."),
      .key(
        "answers-after", \.answerDelay, .duration, default: plain.answerDelay,
        "How long after it was asked they answer."),
      .key(
        "web-apps", \.webApps, .list(of: .text("the id of a web app", countMaximum: 64), countMaximum: 64), default: [],
        "The ids of its web apps."),
    ]
  ).named("webos")
}

extension Form<EmbeddedSection> {
  static let embedded = Form.record(
    EmbeddedSection(type: ""),
    [
      .required("type", \.type, .line("a type", example: "urn:schemas-upnp-org:device:Basic:1"), "Its type."),
      .key(
        "services", \.services, .list(of: .line("a type", example: "urn:schemas-upnp-org:service:Dimming:1")),
        default: [],
        "The types of its services."),
      .optional("uuid", \.uuid, .uuid, "Its UUID; follows from the root's by default."),
    ])
}

extension Form<UDAVersion> {
  static let uda: Form = {
    var form = Form.word("a version of UDA")
    // An editor takes 2.0 for a number; the reader takes it as written.
    form.schema = .any(of: [form.schema, Schema(.members(("type", .string("number"))))])
    return form
  }()
}

extension Form<DeviceUUID> {
  static let uuid = Form.scalar(
    "a UUID", example: "2fac1234-31f8-41b4-a222-08002b34c003",
    schema: Schema(
      .members(
        ("type", .string("string")), ("pattern", .string("^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")))),
    print: { $0.text(.standard) }, parse: { DeviceUUID($0) })
}

extension Form<DeviceUUID.Style> {
  static let uuidStyle = Form.word(
    "a style", [("standard", .standard), ("capitals", .capitals), ("serial-number", .serialNumber)])
}
