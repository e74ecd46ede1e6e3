import UpdateFixture

typealias EngineFixture = UpdateFixture.EngineFixture
typealias AnyPayload = UpdateFixture.AnyPayload
typealias ExtensionProcess = UpdateFixture.ExtensionProcess
