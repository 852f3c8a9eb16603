internal import ControlAPI
internal import JSON

/// The result of a call as it came; it is read where its content matters.
struct Reply<Value: ControlValue>: Sendable {
  let json: JSON

  var value: Value {
    get throws(Failure) {
      do { return try Value(reading: json) } catch { throw .notTheDaemon }
    }
  }
}

extension Reply {
  /// A result that was put together here.
  init(_ value: Value) { json = value.json }
}
