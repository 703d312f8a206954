import ArgumentParser
import Foundation
import RollcallReporting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What rollcall calls itself on the wire.
enum Product {
  /// USER-AGENT in the form that UDA asks for: operating system, UPnP and product, each with its version
  /// (UDA-1.2.2-A-SERVER, and UDA 2.0, section 1.3.2).
  static func userAgent(uda: String) -> String {
    "\(operatingSystem) UPnP/\(uda) rollcall/\(Rollcall.configuration.version)"
  }

  /// `Linux/6.6.1`: what stands behind the numbers, such as `-generic`, is left out.
  private static var operatingSystem: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "Linux/0" }
    func text(_ field: some Any) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    let release = text(names.release).prefix { $0.isNumber || $0 == "." }
    return "\(text(names.sysname))/\(release.isEmpty ? "0" : String(release))"
  }
}
