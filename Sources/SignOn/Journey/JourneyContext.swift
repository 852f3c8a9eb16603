internal import JSON

/// What the callbacks of a step are answered with besides what a person says.
struct JourneyContext: Sendable {
  /// What is told of this machine where a journey asks for that.
  var device = DeviceProfile()
  /// Whether a browser may be sent to this machine over plain HTTP.
  var allowsLoopbackHTTP = false
  /// The callbacks that only carry data for others of the same step.
  var metadata: [JSON] = []
}
