internal import DeviceBinding

/// What the callbacks of a step are answered with besides what a person says.
struct JourneyContext: Sendable {
  /// What is told of this machine where a journey asks for that.
  var device = DeviceProfile()
  /// Whether a browser may be sent to this machine over plain HTTP.
  var allowsLoopbackHTTP = false
  /// What to call the server that is signed on to.
  var server = ""
  /// The keys of this machine that were bound there, the newest first.
  var keys: [BoundKey] = []
  /// Whether this machine can make sure that its owner is there.
  var verifiesPresence = false
  /// What hidden values are answered with, by their ids, where other callbacks of the step have their outcome there.
  var outcomes: [String: String] = [:]
}
