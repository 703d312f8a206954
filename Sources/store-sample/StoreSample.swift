import Foundation
import RollcallPrimitives
import RollcallStore

/// A process that uses a store, for tests that kill it or let several work at once.
///
/// A store that fails is told as one line, `failed: …`, with exit code 1.
@main enum StoreSample {
  static let usage = """
    usage: rollcall-store-sample write PATH FROM COUNT   steps of SampleDevices; prints each number after its commit
           rollcall-store-sample count PATH ID COUNT     adds 1 to the config "count" of a device, so many times
           rollcall-store-sample fill PATH COUNT         merges so many devices; prints how many were stored
           rollcall-store-sample show PATH               prints the ids of the devices

    """

  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    do throws(DeviceStoreError) {
      switch (words.first, words.count) {
      case ("write", 4): try write(words[1], from: Int(words[2]) ?? 0, count: Int(words[3]) ?? 0)
      case ("count", 4): try count(words[1], id: words[2], times: Int(words[3]) ?? 0)
      case ("fill", 3): try fill(words[1], count: Int(words[2]) ?? 0)
      case ("show", 2): for device in try DeviceDatabase(path: words[1]).load() { say(device.id) }
      default:
        FileHandle.standardError.write(Data(usage.utf8))
        exit(2)
      }
    } catch {
      say("failed: \(error)")
      exit(1)
    }
  }

  private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  private static func write(_ path: String, from first: Int, count: Int) throws(DeviceStoreError) {
    say("begins")
    var options = DeviceDatabase.Options()
    // So that many a kill falls into the copying of the journal.
    options.checkpointPages = 16
    let store = try DeviceDatabase(path: path, options: options)
    say("open")
    for step in first..<first + count {
      switch SampleDevices.Step(step) {
      case .merge(let device): try store.merge(device)
      case .replace(let device): try store.replace(device)
      case .remove(let id): try store.remove(id: id)
      }
      say(String(step))
    }
  }

  private static func count(_ path: String, id: String, times: Int) throws(DeviceStoreError) {
    let store = try DeviceDatabase(path: path)
    for _ in 0..<times {
      try store.update(id: id) { device in
        guard var service = device.services.first else { return }
        service.config["count"] = String((service.config["count"].flatMap { Int($0) } ?? 0) + 1)
        device.put(service)
      }
    }
  }

  private static func fill(_ path: String, count: Int) throws(DeviceStoreError) {
    let store = try DeviceDatabase(path: path)
    var stored = 0
    defer { say(String(stored)) }
    for number in 0..<count {
      try store.merge(SampleDevices.device(number, at: number))
      stored += 1
    }
  }
}
