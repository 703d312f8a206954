package import RollcallDiscovery

/// A setting that cannot be used: what was written, and what could be.
package struct EngineSettingError: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String
}

// The keys of `engine:` in a scenario, one at a time: for command lines.
extension EngineConfiguration {
  /// Applies settings in order, each as `KEY=VALUE` with the keys and values of `engine:` in a scenario;
  /// `limits.parts=8` reaches inside, `switches=a,b` plants faults, `browse=_ipp._tcp,_http._tcp` is a list as well.
  package mutating func apply(_ settings: [String]) throws(EngineSettingError) {
    for setting in settings { try apply(setting) }
  }

  private mutating func apply(_ setting: String) throws(EngineSettingError) {
    guard let equals = setting.firstIndex(of: "="), equals > setting.startIndex else {
      throw EngineSettingError(description: "a setting is KEY=VALUE, as in byebye=each-part, and not '\(setting)'")
    }
    let key = String(setting[..<equals])
    let value = String(setting[setting.index(after: equals)...])
    let known = EngineConfiguration.settingKeys
    guard known.contains(key) else {
      throw EngineSettingError(
        description: "unknown key '\(shortened(key))'"
          + (nearest(to: key, of: known).map { ", did you mean '\($0)'?" }
            ?? "; known are " + known.joined(separator: ", ")))
    }
    if key == "switches", !value.isEmpty, !EngineSwitches.areBuiltIn {
      throw EngineSettingError(description: "'switches' " + EngineSwitches.missing)
    }
    let tree: Tree =
      key == "switches" || key == "browse"
      ? .list(value.split(separator: ",").map { .scalar(String($0)) }) : .scalar(value)
    var reader = Reader()
    for field in EngineConfiguration.fields where field.key.name == key { field.read(tree, &self, &reader) }
    for field in EngineLimits.fields where "limits." + field.key.name == key { field.read(tree, &limits, &reader) }
    if let complaint = reader.complaints.first {
      throw EngineSettingError(description: "\(key): \(complaint.message)")
    }
  }

  /// Every key that `apply` knows.
  package static var settingKeys: [String] {
    fields.map(\.key.name).flatMap { key in
      key == "limits" ? EngineLimits.fields.map { "limits." + $0.key.name } : [key]
    }
  }
}
