// Nothing to call: a program that is linked with this wipes all memory that it frees.
#pragma once
