/// Runs at most one uncancelled task per key; further callers wait for the result of the running task.
@EventLoop
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable> {
  private var running: [Key: Flight] = [:]
  private var count = 0

  private struct Flight {
    let number: Int
    let task: Task<Value, any Error>
  }

  public nonisolated init() {}

  /// Returns the result of the key's task; starts the task unless it is running.
  public func run(
    _ key: Key,
    _ body: @escaping @EventLoop @Sendable () async throws -> Value
  ) async throws -> Value {
    try await start(key, body).value
  }

  /// Returns the task of a key; starts the task unless it is running.
  @discardableResult
  public func start(
    _ key: Key,
    _ body: @escaping @EventLoop @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    if let flight = running[key] { return flight.task }
    count += 1
    let number = count
    let task = EventLoop.task { [self] in
      // A cancelled task may end after its successor has started.
      defer { if running[key]?.number == number { running[key] = nil } }
      return try await body()
    }
    running[key] = Flight(number: number, task: task)
    return task
  }

  /// Waits until the key's task has ended, successfully or not.
  public func finished(_ key: Key) async { _ = await running[key]?.task.result }

  public func isRunning(_ key: Key) -> Bool { running[key] != nil }

  public var keys: some Collection<Key> { running.keys }

  /// Cancels the task of a key; callers that wait for it get its result, and the next call starts a new task.
  public func cancel(_ key: Key) { running.removeValue(forKey: key)?.task.cancel() }
}
