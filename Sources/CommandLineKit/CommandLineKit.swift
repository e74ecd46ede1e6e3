// Commands are values: a `Command` names its parameters, and its body reads them back from an
// `Invocation` by the same typed `Parameter` values. Parsing, help, completion scripts and error
// words all come from that one declaration.
//
// Read in this order: Parameter, Command, Parser, Invocation, CommandLineTool.
