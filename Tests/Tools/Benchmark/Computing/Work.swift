/// Something that the daemon computes, to be done again and again.
struct Work: Sendable {
  let name: String
  /// Makes what is done each time, from what comes on standard input where that is needed.
  let prepare: @Sendable () throws -> Operation

  struct Operation {
    /// How many bytes are read each time, where a rate is asked.
    var bytes = 0
    let run: () throws -> Void
  }

  static let all: [Work] = passcodes + tokens + documents + calls

  /// Has something computed that nobody looks at.
  @inline(never)
  static func keep<Value>(_ value: Value) {}
}

/// What must not be: nothing was computed that could be measured.
struct WorkFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
