package import ControlAPI
package import JSON

/// The result of a call as it came; it is read where its content matters.
package struct Reply<Value: Sendable>: Sendable {
  package let json: JSON
  private let read: @Sendable (JSON) throws(UnreadableValue) -> Value

  package var value: Value {
    get throws(Failure) {
      do { return try read(json) } catch { throw .notTheDaemon }
    }
  }
}

extension Reply {
  /// The result of a method.
  package init<Method: ControlMethod>(json: JSON, of method: Method.Type) where Value == Method.Result {
    self.init(json: json, read: { (json) throws(UnreadableValue) in try Method.result(reading: json) })
  }

  /// A result of a method that was put together here.
  package init<Method: ControlMethod>(_ answer: Value, of method: Method.Type) where Value == Method.Result {
    self.init(json: Method.json(of: answer), of: method)
  }
}

extension Reply where Value: ControlValue {
  package init(json: JSON) {
    self.init(json: json, read: { (json) throws(UnreadableValue) in try Value(reading: json) })
  }

  /// A value that was put together here.
  package init(_ value: Value) { self.init(json: value.json) }
}
