/// At most one running task a key: who asks while it runs waits for the same end.
@EventLoop
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable> {
  private var running: [Key: Flight] = [:]
  private var count = 0

  private struct Flight {
    let number: Int
    let task: Task<Value, any Error>
  }

  public nonisolated init() {}

  /// Waits for the task of a key, which is started unless it runs already.
  public func run(
    _ key: Key,
    _ body: @escaping @EventLoop @Sendable () async throws -> Value
  ) async throws -> Value {
    try await start(key, body).value
  }

  /// The task of a key, which is started unless it runs already.
  @discardableResult
  public func start(
    _ key: Key,
    _ body: @escaping @EventLoop @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    if let flight = running[key] { return flight.task }
    count += 1
    let number = count
    let task = EventLoop.task { [self] in
      // One that was cancelled may end after another has taken its place.
      defer { if running[key]?.number == number { running[key] = nil } }
      return try await body()
    }
    running[key] = Flight(number: number, task: task)
    return task
  }

  /// Waits for the end of what runs for a key, however it ends.
  public func finished(_ key: Key) async { _ = await running[key]?.task.result }

  public func isRunning(_ key: Key) -> Bool { running[key] != nil }

  public var keys: some Collection<Key> { running.keys }

  /// Cancels the task of a key; who waits for it hears how it ends.
  public func cancel(_ key: Key) { running.removeValue(forKey: key)?.task.cancel() }
}
