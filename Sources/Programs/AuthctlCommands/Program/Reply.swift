internal import ControlAPI
internal import JSON

/// The result of a call as it came; it is read where its content matters.
struct Reply<Value: Sendable>: Sendable {
  let json: JSON
  private let read: @Sendable (JSON) throws(UnreadableValue) -> Value

  var value: Value {
    get throws(Failure) {
      do { return try read(json) } catch { throw .notTheDaemon }
    }
  }
}

extension Reply {
  /// The result of a method.
  init<Method: ControlMethod>(json: JSON, of method: Method.Type) where Value == Method.Result {
    self.init(json: json, read: { (json) throws(UnreadableValue) in try Method.result(reading: json) })
  }

  /// A result of a method that was put together here.
  init<Method: ControlMethod>(_ answer: Value, of method: Method.Type) where Value == Method.Result {
    self.init(json: Method.json(of: answer), of: method)
  }
}

extension Reply where Value: ControlValue {
  init(json: JSON) {
    self.init(json: json, read: { (json) throws(UnreadableValue) in try Value(reading: json) })
  }

  /// A value that was put together here.
  init(_ value: Value) { self.init(json: value.json) }
}
