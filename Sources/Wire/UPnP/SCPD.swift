/// A service description: the actions of a service and the variables of its state (UDA 2.0, section 2.5).
public struct SCPD: Hashable, Sendable {
  public struct Argument: Hashable, Sendable {
    public var name: String
    public var isOut: Bool
    /// The name of the variable whose type it has.
    public var variable: String

    public init(_ name: String, isOut: Bool, variable: String) {
      (self.name, self.isOut, self.variable) = (name, isOut, variable)
    }
  }

  public struct Action: Hashable, Sendable {
    public var name: String
    /// Those that go in stand before those that come out.
    public var arguments: [Argument]

    public init(_ name: String, _ arguments: [Argument] = []) { (self.name, self.arguments) = (name, arguments) }
  }

  public struct Variable: Hashable, Sendable {
    public var name: String
    /// `string`, `ui4`, `boolean` …
    public var type: String
    public var isEvented = false
    public var initial = ""
    /// Empty: any.
    public var allowed: [String] = []
    public var range: ClosedRange<Int>?

    public init(_ name: String, type: String) { (self.name, self.type) = (name, type) }
  }

  public var actions: [Action]
  public var variables: [Variable]

  public static let namespace = "urn:schemas-upnp-org:service-1-0"

  public init(actions: [Action], variables: [Variable]) { (self.actions, self.variables) = (actions, variables) }

  public func action(_ name: String) -> Action? { actions.first { $0.name == name } }
  public func variable(_ name: String) -> Variable? { variables.first { $0.name == name } }

  /// The document as UTF-8.
  /// - Parameters:
  ///   - major: the version of UDA, as that of the device description.
  ///   - configID: as in the device description; `nil` under UDA 1.0, which has none.
  public func bytes(major: Int, minor: Int, configID: UInt32?) -> [UInt8] {
    var xml = XMLText()
    xml.openDocument("scpd", namespace: SCPD.namespace, major: major, minor: minor, configID: configID)
    if !actions.isEmpty {
      xml.open("actionList")
      for action in actions { SCPD.write(action, &xml) }
      xml.close("actionList")
    }
    xml.open("serviceStateTable")
    for variable in variables { SCPD.write(variable, &xml) }
    xml.close("serviceStateTable")
    xml.close("scpd")
    return Array(xml.text.utf8)
  }

  private static func write(_ action: Action, _ xml: inout XMLText) {
    xml.open("action")
    xml.element("name", action.name)
    if !action.arguments.isEmpty {
      xml.open("argumentList")
      for argument in action.arguments {
        xml.open("argument")
        xml.element("name", argument.name)
        xml.element("direction", argument.isOut ? "out" : "in")
        xml.element("relatedStateVariable", argument.variable)
        xml.close("argument")
      }
      xml.close("argumentList")
    }
    xml.close("action")
  }

  private static func write(_ variable: Variable, _ xml: inout XMLText) {
    xml.open("stateVariable", attributes: " sendEvents=\"\(variable.isEvented ? "yes" : "no")\"")
    xml.element("name", variable.name)
    xml.element("dataType", variable.type)
    if !variable.initial.isEmpty { xml.element("defaultValue", variable.initial) }
    if !variable.allowed.isEmpty {
      xml.open("allowedValueList")
      for value in variable.allowed { xml.element("allowedValue", value) }
      xml.close("allowedValueList")
    }
    if let range = variable.range {
      xml.open("allowedValueRange")
      xml.element("minimum", "\(range.lowerBound)")
      xml.element("maximum", "\(range.upperBound)")
      xml.element("step", "1")
      xml.close("allowedValueRange")
    }
    xml.close("stateVariable")
  }
}
