"""The tools that an agent is offered, by noun; pure: they know neither MCP nor HTTP."""
