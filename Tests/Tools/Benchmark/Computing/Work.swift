/// A computation of the daemon, to be repeated.
struct Work: Sendable {
  let name: String
  /// Prepares the operation, from standard input if needed.
  let prepare: @Sendable () throws -> Operation

  struct Operation {
    /// Number of bytes that one operation reads, for a rate.
    var bytes = 0
    let run: () throws -> Void
  }

  static let all: [Work] = passcodes + tokens + documents + calls

  /// Prevents the compiler from removing an unused computation.
  @inline(never)
  static func keep<Value>(_ value: Value) {}
}

/// The error if nothing was computed that could be measured.
struct WorkFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
