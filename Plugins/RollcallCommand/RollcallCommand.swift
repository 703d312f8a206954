import Foundation
import PackagePlugin

/// `swift package rollcall run Scenarios`: the program with these arguments, in the folder of the package.
///
/// Its exit code is said in words, since SwiftPM ends with 1 whatever a plug-in ends with.
@main struct RollcallCommand: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    // Whether the trait is on is known by this alone: a plug-in is compiled without the conditions of its package.
    guard let tool = try? context.tool(named: "rollcall-tool") else {
      return Diagnostics.error(
        "rollcall is not built in: give the dependency on Rollcall the trait Tool, as in traits: [.defaults, \"Tool\"]")
    }
    let process = Process()
    process.executableURL = tool.url
    process.arguments = arguments
    process.currentDirectoryURL = context.package.directoryURL
    try process.run()
    process.waitUntilExit()
    let code = process.terminationStatus
    if process.terminationReason == .uncaughtSignal {
      Diagnostics.error("rollcall was ended by signal \(code)")
    } else if code != 0 {
      Diagnostics.error("rollcall ended with exit code \(code)")
    }
  }
}
