import RollcallDevices
import RollcallDiscovery
package import RollcallScenarios
import RollcallSessions

/// How a planted fault is called in scenarios and reports.
package enum BiteText {
  package static func name(_ bite: Bite) -> String {
    switch bite {
    case .engine(let one): "engine.\(one.rawValue)"
    case .manager(let profile): "manager.\(profile.rawValue)"
    case .peers(let one): "peers.\(one.rawValue)"
    case .inhabitant(let name, let quirk): "\(name).\(quirk.name)"
    case .responder(let name, let quirk): "\(name).\(quirk.rawValue)"
    }
  }
}
