// This module declares no functions. A program that links it wipes memory when free or realloc releases it.
#pragma once
