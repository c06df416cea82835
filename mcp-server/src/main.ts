/** What plugin/server.cjs starts. */
import { serve } from './mcp/server.ts';

void serve();
