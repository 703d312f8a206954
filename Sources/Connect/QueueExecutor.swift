import Dispatch
import RollcallDoors

/// Runs the parts of asynchronous code on the queue of a manager, one after the other, in the order in which they became ready.
///
/// In a virtual world no time passes while the queue has something to do, so code with `await` takes as little virtual time as a
/// callback, and two runs do the same in the same order.
final class QueueExecutor: TaskExecutor {
  private let queue: DispatchQueue
  /// Those that a world waits for; `nil`: nobody waits.
  private let queues: DoorQueues?

  init(_ queue: DispatchQueue, _ queues: DoorQueues?) { (self.queue, self.queues) = (queue, queues) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let run: @Sendable () -> Void = { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    if let queues { queues.schedule(on: queue, run) } else { queue.async(execute: run) }
  }
}

extension DiscoveryManager {
  /// Begins code with `await` on the queue of the manager, such as a loop over `events()` that connects to what it finds.
  ///
  ///     manager.run {
  ///       for await event in manager.events() {
  ///         if case .found(let device) = event { device.connect() }
  ///       }
  ///     }
  ///
  /// What it asks of the manager is asked at the instant of the event, also in a virtual world, where it runs before time
  /// goes on: in the same order in each run. That holds for everything but `Task.sleep`, detached tasks and actors with an
  /// executor of their own, which leave the queue.
  @discardableResult
  public func run<Value: Sendable>(
    _ body: sending @escaping @isolated(any) () async throws -> Value
  ) -> Task<Value, any Error> {
    Task(executorPreference: executor, operation: body)
  }
}

/// Waits for the answer of a call that takes one function for success and one for failure.
private func answer<Value: Sendable>(
  _ call: (_ success: @escaping @Sendable (Value) -> Void, _ failure: @escaping Launcher.Failure) -> Void
) async throws -> Value {
  try await withCheckedThrowingContinuation { answer in
    call({ answer.resume(returning: $0) }, { answer.resume(throwing: $0) })
  }
}

extension Launcher {
  /// The same as a call that waits for its answer. It throws a `ConnectionFailure`.
  public func launchApp(_ appID: String, content: String? = nil) async throws -> LaunchSession {
    try await answer { launchApp(appID, content: content, success: $0, failure: $1) }
  }

  public func getAppState(_ appID: String) async throws -> AppState {
    try await answer { getAppState(appID, success: $0, failure: $1) }
  }

  public func joinApp(_ session: LaunchSession) async throws -> LaunchSession {
    try await answer { joinApp(session, success: $0, failure: $1) }
  }

  public func closeApp(_ session: LaunchSession) async throws {
    try await answer { success, failure in closeApp(session, success: { success(()) }, failure: failure) }
  }
}

extension WebAppLauncher {
  /// The same as a call that waits for its answer. It throws a `ConnectionFailure`.
  public func launchWebApp(_ webAppID: String, content: String? = nil) async throws -> WebAppSession {
    try await answer { launchWebApp(webAppID, content: content, success: $0, failure: $1) }
  }

  public func joinWebApp(_ session: LaunchSession) async throws -> WebAppSession {
    try await answer { joinWebApp(session, success: $0, failure: $1) }
  }

  public func joinWebApp(withId webAppID: String) async throws -> WebAppSession {
    try await answer { joinWebApp(withId: webAppID, success: $0, failure: $1) }
  }

  public func closeWebApp(_ session: LaunchSession) async throws {
    try await answer { success, failure in closeWebApp(session, success: { success(()) }, failure: failure) }
  }
}

extension WebAppSession {
  /// The same as a call that waits for its answer. It throws a `ConnectionFailure`.
  public func connect() async throws {
    try await answer { success, failure in connect(success: { success(()) }, failure: failure) }
  }

  public func sendText(_ text: String) async throws {
    try await answer { success, failure in sendText(text, success: { success(()) }, failure: failure) }
  }

  public func sendJSON(_ object: [String: Any]) async throws {
    try await answer { success, failure in sendJSON(object, success: { success(()) }, failure: failure) }
  }

  public func disconnectFromWebApp() async throws {
    try await answer { success, failure in disconnectFromWebApp(success: { success(()) }, failure: failure) }
  }

  public func close() async throws {
    try await answer { success, failure in close(success: { success(()) }, failure: failure) }
  }
}
