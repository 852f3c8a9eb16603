// Has no functions to call: a program that links this module wipes all memory that it frees.
#pragma once
